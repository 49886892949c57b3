"""Short made-up posts of five newsgroups, each with its own vocabulary."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path


def words(joined: str) -> list[str]:
    """Split words and phrases at commas."""
    return joined.split(",")


# For each group: sentences with slots, and the words that fill each slot.
GROUPS: dict[str, tuple[list[str], dict[str, list[str]]]] = {
    "comp.hardware": (
        [
            "My {part} no longer recognises the {disk} after a {event}.",
            "Which {disk} fits an old {part} with a {adjective} cable?",
            "The {part} reports a {adjective} sector on the second {disk}.",
            "After I replaced the {part}, the computer boots from the {disk} again.",
            "Check the jumper of the {disk} and the cable of the {part} first.",
            "Is a {adjective} {part} faster than the {part} on the motherboard?",
            "The drive spins up, but the {part} does not find the {disk}.",
            "You need a new driver for the {part} before you format the {disk}.",
        ],
        {
            "part": words("controller,motherboard,adapter,processor,chipset,BIOS,monitor,card"),
            "disk": words("disk,hard drive,floppy drive,tape drive,cartridge,memory module"),
            "adjective": words("SCSI,serial,parallel,bad,fast,damaged,internal,external"),
            "event": words("power failure,format,reboot,firmware update,crash,thunderstorm"),
        },
    ),
    "rec.autos": (
        [
            "There is an oil leak under the {part} when I drive on the {road}.",
            "The {part} of my {car} makes a noise when I brake on a {road}.",
            "My mechanic wants to replace the {part} and the {part} of the {car}.",
            "How often do you change the oil of a {car} with a {engine} engine?",
            "A {engine} {car} is cheaper to drive than an old {car}.",
            "The dealer offered me a used {car} with a new {part}.",
            "Test the {part} before you drive the {car} on the {road} again.",
            "The warranty of the {car} covers the {part}, but not the tires.",
        ],
        {
            "part": words("clutch,gearbox,radiator,exhaust,brake,gasket,transmission,alternator"),
            "car": words("car,truck,sedan,convertible,van,wagon,hatchback"),
            "road": words("highway,motorway,hill,gravel road,icy road"),
            "engine": words("diesel,petrol,turbo,hybrid,electric"),
        },
    ),
    "sci.space": (
        [
            "The {craft} will reach the {place} after a {time} in orbit.",
            "NASA postponed the launch of the {craft} by a {time}.",
            "The {instrument} of the {craft} took pictures of the {place}.",
            "How much fuel does a {craft} need to land on the {place}?",
            "The crew repaired the {instrument} during a spacewalk outside the {craft}.",
            "Astronomers found water on the {place} with a new {instrument}.",
            "A {craft} in a lower orbit loses height because of the atmosphere of the {place}.",
            "The budget of the mission to the {place} pays for one {instrument}.",
        ],
        {
            "craft": words("shuttle,probe,rocket,satellite,lander,space station,capsule"),
            "place": words("moon,planet,comet,asteroid,surface of Mars,rings of Saturn"),
            "instrument": words("telescope,antenna,camera,spectrometer,solar panel,radar"),
            "time": words("week,month,year,decade,day"),
        },
    ),
    "rec.cooking": (
        [
            "Simmer the {vegetable} in {liquid} until the sauce is thick.",
            "Add a spoon of {spice} to the {dish} before you bake it.",
            "Can I replace the {liquid} in this recipe with {liquid}?",
            "My {dish} was too dry, so I added more {liquid} and {vegetable}.",
            "Roast the {vegetable} with {spice} in a hot oven.",
            "Let the dough of the {dish} rest, then knead it with {spice}.",
            "This recipe for {dish} needs fresh {spice} and a heavy pan.",
            "Serve the {dish} with {vegetable} and a little {spice}.",
        ],
        {
            "vegetable": words("onions,carrots,tomatoes,potatoes,mushrooms,beans,peppers"),
            "liquid": words("butter,cream,stock,olive oil,milk,wine,lemon juice"),
            "spice": words("garlic,basil,cumin,paprika,rosemary,salt,cinnamon,ginger"),
            "dish": words("bread,soup,curry,pizza,casserole,cake,stew"),
        },
    ),
    "comp.python": (
        [
            "How do I sort a sparse {structure} by the {value} of each row?",
            "The {code} raises an exception if the {structure} is empty.",
            "A {code} with a loop over the {structure} is slow; use {library} instead.",
            "What is the fastest way to copy a {structure} without the {value}?",
            "You can write a {code} that returns the {value} of a {structure}.",
            "The documentation of {library} says that a {structure} is never copied.",
            "My {code} imports {library}, but the interpreter does not find the module.",
            "Index the {structure} with a slice, not with a {value}.",
        ],
        {
            "structure": words("array,list,dictionary,matrix,tuple,string,data frame"),
            "code": words("function,method,class,script,generator,decorator,test"),
            "value": words("key,index,length,maximum,type,default value,column"),
            "library": words("numpy,scipy,pandas,the standard library,asyncio"),
        },
    ),
}
GENERAL = [
    "Thanks in advance for any help.",
    "Has anyone else seen this?",
    "I tried this twice last weekend.",
    "A friend told me to ask here.",
    "What would you recommend to a beginner?",
    "I am grateful for every answer.",
]
AUTHORS = ["Ada", "Ben", "Chen", "Dora", "Emil", "Fatima", "Gus", "Hana", "Ivan", "Jo"]


def posts(n: int, seed: int, first: int = 0) -> list[dict[str, str]]:
    """Return `n` posts, whose ids start with the number `first`."""
    draw = random.Random(seed)
    names = list(GROUPS)
    result = []
    for number in range(first, first + n):
        group = names[number % len(names)]
        sentences = [_sentence(group, draw) for _ in range(draw.randint(4, 7))]
        body = " ".join([*sentences, draw.choice(GENERAL)])
        result.append(
            {
                "id": f"d{number}",
                "title": " ".join(sentences[0].rstrip(".?").split()[:7]),
                "body": body,
                "group": group,
                "author": draw.choice(AUTHORS),
                "date": f"2024-{1 + number % 12:02d}-{1 + number % 28:02d}",
            }
        )
    return result


def _sentence(group: str, draw: random.Random) -> str:
    templates, slots = GROUPS[group]
    sentence = draw.choice(templates)
    while "{" in sentence:
        before, _, rest = sentence.partition("{")
        slot, _, after = rest.partition("}")
        sentence = before + draw.choice(slots[slot]) + after
    return sentence


def lines(records: Iterable[dict[str, str]]) -> str:
    """Return records as lines of JSON."""
    return "".join(json.dumps(record) + "\n" for record in records)


def write_lines(path: Path, records: Iterable[dict[str, str]]) -> None:
    """Write records as lines of JSON."""
    path.write_text(lines(records), encoding="utf-8")
