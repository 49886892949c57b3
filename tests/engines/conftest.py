"""A Dask cluster of real processes, shared by all tests of this folder that need a cluster."""

from __future__ import annotations

import pytest
from distributed import Client

from tests.clusters import local_cluster

WORKERS = 2


@pytest.fixture(scope="package")
def cluster():
    with local_cluster(WORKERS, processes=True) as cluster:
        yield cluster


@pytest.fixture(scope="package")
def connection(cluster):
    with Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture
def client(connection):
    """Make a client active during a test, so that engine="dask" uses the client."""
    with connection.as_current():
        yield connection
