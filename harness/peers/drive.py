"""Drives peers by hand while they are written: builds them, then sets them against golden/.

Usage: target/peers/python/venv/bin/python harness/peers/drive.py [--bench] [--mutate N] [LANGUAGE...]

For every implementation and format of every peer that has what it requires:
- Encode of each value must give the golden bytes of its writer, where there are any;
- Decode of every golden file, by whichever writer, must give the value;
- Reencode of its writer's files must give them back.
It needs the built Python peer, whose libraries it borrows, and is no part of the gate.
"""

import argparse
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import time
import tomllib
from pathlib import Path

PEERS = Path(__file__).resolve().parent
ROOT = PEERS.parents[1]
GOLDEN = ROOT / "golden"
TARGET = Path(os.environ.get("INTEROP_PEERS_BUILD", ROOT / "target" / "peers"))
sys.path.insert(0, str(PEERS / "python"))

from google.protobuf import descriptor_pb2, json_format  # noqa: E402
from protobuf_library import fill_message, fill_tree  # noqa: E402
from schema import Schema  # noqa: E402

SCHEMA_BYTES = (TARGET / "python" / "models.binpb").read_bytes()
SCHEMA = Schema(SCHEMA_BYTES)
PROTOCOL = Schema((TARGET / "python" / "peer.binpb").read_bytes())
Request = PROTOCOL.plans["interop.peer.Request"].message_class
Reply = PROTOCOL.plans["interop.peer.Reply"].message_class
Tree = PROTOCOL.plans["interop.peer.Tree"].message_class
WIDENED = {"NumericStruct": "f1", "Sample": "int_value", "Media": "width", "Image": "width"}


def version_2():
    files = descriptor_pb2.FileDescriptorSet.FromString(SCHEMA_BYTES)
    for file in files.file:
        for message in file.message_type if file.package == "protobuf" else ():
            for field in message.field:
                if WIDENED.get(message.name) == field.name:
                    field.type = field.TYPE_INT64
    return files.SerializeToString()


class Process:
    """A running peer."""

    def __init__(self, command, environment):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **environment}
        )
        self.next_id = 1

    def call(self, **body):
        request = Request(id=self.next_id, **body)
        self.next_id += 1
        data = request.SerializeToString()
        self.process.stdin.write(struct.pack("<I", len(data)) + data)
        self.process.stdin.flush()
        head = self.process.stdout.read(4)
        if len(head) < 4:
            raise SystemExit(f"peer ended with {self.process.wait()}")
        reply = Reply.FromString(self.process.stdout.read(struct.unpack("<I", head)[0]))
        assert reply.id == request.id, (reply.id, request.id)
        return reply

    def close(self):
        self.process.stdin.close()
        assert self.process.wait(10) == 0, "peer must end with status 0"


class Case:
    """A model and a value; `canonical` is what decoded values are compared by."""

    def __init__(self, schema, model, message):
        self.schema = schema
        self.plan = schema.plans[model]
        self.tree = Tree()
        fill_tree(schema.plans[message.DESCRIPTOR.full_name], message, self.tree)
        sort_maps(self.tree)
        self.canonical = self.canonical_of(self.tree)

    def canonical_of(self, tree):
        message = self.plan.message_class()
        fill_message(self.plan, tree, message)
        return message.SerializeToString(deterministic=True)


def sort_maps(tree):
    """Puts map entries in the order of their (text) keys, which the golden files have."""
    for field in tree.fields:
        for value in field.value.list.values:
            sort_maps(value.message)
        sort_maps(field.value.message)
        entries = sorted(field.value.map.entries, key=lambda entry: entry.key.text)
        if entries:
            for entry in entries:
                sort_maps(entry.value.message)
            del field.value.map.entries[:]
            field.value.map.entries.extend(entries)


def values(schema, folder):
    for path in sorted(folder.glob("*/*.json")):
        model = f"protobuf.{path.stem}"
        message = schema.plans[model].message_class()
        json_format.Parse(path.read_text(), message)
        yield path.parent.name, path.stem, Case(schema, model, message)
        if path.stem == "NumericStruct" and folder == GOLDEN / "values":
            # The same values in the fixed-width twin, whose field numbers are the same.
            yield path.parent.name, "FixedNumericStruct", Case(schema, "protobuf.FixedNumericStruct", message)


def suite(schema):
    for path in sorted((GOLDEN / "suite").glob("*.pb")):
        model, size = path.stem.split("-")
        message = schema.plans[f"suite.{model}"].message_class.FromString(path.read_bytes())
        yield size, model, Case(schema, f"suite.{model}", message)


def golden_files(folder, cases):
    """{(set, model): [(writers, bytes, path)]}; a file that names no writers is of all of them."""
    found = {}
    named = {w for path in folder.glob("*/*@*.bin") for w in path.stem.partition("@")[2].split("+")}
    for path in sorted(folder.glob("*/*.bin")):
        model, _, writers = path.stem.partition("@")
        if (path.parent.name, model) in cases:
            found.setdefault((path.parent.name, model), []).append(
                (set(writers.split("+")) if writers else named, path.read_bytes(), path)
            )
    return found


class Tally:
    def __init__(self, label, verbose):
        self.label = label
        self.verbose = verbose
        self.counts = {}

    def note(self, what, good, detail):
        entry = self.counts.setdefault(what, [0, 0])
        entry[0] += good
        entry[1] += 1
        if not good and (self.verbose or entry[1] - entry[0] <= 3):
            print(f"    {self.label} {what}: {detail}")

    def __str__(self):
        return "  ".join(f"{what} {good}/{total}" for what, (good, total) in self.counts.items())


def check(process, implementation, capability, cases, golden, tally):
    common = {"implementation": implementation.name, "format": capability.format}
    for (set_name, model), case in cases.items():
        if case.plan.name not in capability.models:
            tally.note("declared", False, case.plan.name)
            continue
        common["model"] = case.plan.name
        label = f"{set_name}/{model}"
        reply = process.call(encode={**common, "value": case.tree})
        data = reply.encode.data
        if reply.WhichOneof("body") != "encode":
            tally.note("encode", False, f"{label}: {reply.failure.message}")
        else:
            back = process.call(decode={**common, "data": data})
            same(case, back, tally, "itself", label)
        files = golden.get((set_name, model), [])
        for writers, expected, path in files:
            mine = capability.writer in writers
            if mine:
                good = data == expected
                tally.note("bytes", good, f"{path.relative_to(GOLDEN)}: {difference(data, expected)}")
                again = process.call(reencode={**common, "data": expected})
                tally.note("again", again.reencode.data == expected, f"{path.relative_to(GOLDEN)} {again.failure.message}")
            reply = process.call(decode={**common, "data": expected})
            same(case, reply, tally, "reads", str(path.relative_to(GOLDEN)))


def mutate(process, implementation, capability, golden, count):
    """Sends broken files: a peer answers every one of them, and is not at fault itself."""
    chance = random.Random(1)
    files = [(model, data) for (_, model), entries in sorted(golden.items()) for _, data, _ in entries if len(data) < 20_000]
    models = {name.rpartition(".")[2]: name for name in capability.models}
    answers = {}
    slowest = (0.0, "")
    for _ in range(count if files else 0):
        model, data = chance.choice(files)
        broken = bytearray(data)
        for _ in range(chance.randint(1, 3)):
            action = chance.randrange(4)
            at = chance.randrange(len(broken) + 1)
            if action == 0:
                del broken[at:]
            elif action == 1 and at < len(broken):
                broken[at] ^= 1 << chance.randrange(8)
            elif action == 2:
                broken[at:at] = chance.randbytes(chance.randint(1, 4))
            elif at < len(broken):
                broken[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF))
        started = time.monotonic()
        body = {"implementation": implementation.name, "format": capability.format, "model": models[model], "data": bytes(broken)}
        reply = process.call(decode=body)
        slowest = max(slowest, (time.monotonic() - started, f"{model} {bytes(broken).hex()}"))
        kind = reply.WhichOneof("body")
        if kind == "failure":
            kind = reply.failure.Kind.Name(reply.failure.kind)
            if kind == "INTERNAL":
                print(f"    {implementation.name} {capability.format} {model}: {reply.failure.message} {broken.hex()[:200]}")
        answers[kind] = answers.get(kind, 0) + 1
    print(f"    mutated: {answers}, slowest {slowest[0]:.3f} s{': ' + slowest[1] if slowest[0] > 0.5 else ''}")


def same(case, reply, tally, what, label):
    if reply.WhichOneof("body") != "decode":
        tally.note(what, False, f"{label}: {reply.failure.Kind.Name(reply.failure.kind)} {reply.failure.message}")
        return
    got = case.canonical_of(reply.decode.value)
    tally.note(what, got == case.canonical, f"{label}: another value: {difference(got, case.canonical)}")


def difference(got, expected):
    at = next((i for i, (a, b) in enumerate(zip(got, expected)) if a != b), min(len(got), len(expected)))
    return f"{len(got)} bytes for {len(expected)}, first at {at}: {got[at:at + 12].hex()} for {expected[at:at + 12].hex()}"


def bench(process, implementation, capability, cases):
    for (set_name, model), case in cases.items():
        if set_name not in ("canonical", "small") or case.plan.name not in capability.models or not capability.bench:
            continue
        row = []
        for operation in (1, 2, 3):
            reply = process.call(
                bench={
                    "implementation": implementation.name,
                    "format": capability.format,
                    "model": case.plan.name,
                    "value": case.tree,
                    "operation": operation,
                    "warmup_ns": 20_000_000,
                    "duration_ns": 20_000_000,
                }
            )
            if reply.WhichOneof("body") != "bench":
                row.append(reply.failure.message)
                continue
            spent = sorted(reply.bench.batches_ns)[len(reply.bench.batches_ns) // 2]
            row.append(f"{spent / reply.bench.batch_iterations:.0f}")
        print(f"    {implementation.name} {capability.format} {model}: {' / '.join(row)} ns")


def placeholders(words, peer, build):
    return [w.replace("{root}", str(ROOT)).replace("{peer}", str(peer)).replace("{build}", str(build)) for w in words]


def present(requirement):
    if "check" in requirement:
        return subprocess.run(requirement["check"], capture_output=True).returncode == 0
    return shutil.which(requirement["command"]) is not None


def drive(peer, options):
    configuration = tomllib.loads((peer / "peer.toml").read_text())
    missing = [r.get("name", r.get("command")) for r in configuration["requires"] if not present(r)]
    if missing:
        print(f"{peer.name}: skipped, no {', '.join(missing)}")
        return
    build = TARGET / peer.name
    started = time.monotonic()
    subprocess.run(placeholders(configuration["build"], peer, build), check=True)
    print(f"{peer.name}: built in {time.monotonic() - started:.1f} s")
    for entry in configuration.get("process", [{"name": peer.name}]):
        run_process(entry, configuration, peer, build, options)


def run_process(entry, configuration, peer, build, options):
    started = time.monotonic()
    process = Process(placeholders(configuration["run"], peer, build), entry.get("env", {}))
    welcome = process.call(hello={"protocol_version": 1}).hello
    print(f"{entry['name']}: {welcome.language}, {welcome.runtime}, hello after {time.monotonic() - started:.1f} s")
    cases = {(s, m): case for s, m, case in [*values(SCHEMA, GOLDEN / "values"), *suite(SCHEMA)] if options.large or s != "large"}
    schema_2 = Schema(version_2())
    cases_2 = {(s, m): case for s, m, case in values(schema_2, GOLDEN / "v2" / "values")}
    cases_2 |= {(s, m): case for s, m, case in values(schema_2, GOLDEN / "values") if s == "canonical" and m != "FixedNumericStruct"}
    for implementation in welcome.implementations:
        for capability in implementation.capabilities:
            if options.only and not re.search(options.only, f"{implementation.name} {capability.format}"):
                continue
            label = f"{implementation.name} {implementation.version} {capability.format} [{capability.writer}]"
            tally = Tally(label, options.verbose)
            golden = golden_files(GOLDEN / capability.format, cases)
            if capability.format == "protobuf":
                for size, model, case in suite(SCHEMA):
                    golden[size, model] = [({"python"}, case.canonical, GOLDEN / "suite" / f"{model}-{size}.pb")]
            check(process, implementation, capability, cases, golden, tally)
            print(f"  {label}: {tally}")
            if options.mutate:
                mutate(process, implementation, capability, golden, options.mutate)
            if options.bench:
                bench(process, implementation, capability, cases)
    if any(c.schemas for i in welcome.implementations for c in i.capabilities):
        process.call(schema={"file_descriptor_set": version_2()})
        for implementation in welcome.implementations:
            for capability in implementation.capabilities:
                if capability.schemas and (not options.only or re.search(options.only, f"{implementation.name} {capability.format}")):
                    label = f"{implementation.name} {capability.format} version 2"
                    tally = Tally(label, options.verbose)
                    golden = golden_files(GOLDEN / "v2" / capability.format, cases_2)
                    check(process, implementation, capability, cases_2, golden, tally)
                    print(f"  {label}: {tally}")
    process.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("languages", nargs="*")
    parser.add_argument("--bench", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--mutate", type=int, default=0, help="broken files to send to each format")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--only", help="pattern of 'IMPLEMENTATION FORMAT'")
    options = parser.parse_args()
    for peer in sorted(p.parent for p in PEERS.glob("*/peer.toml")):
        if not options.languages or peer.name in options.languages:
            drive(peer, options)


if __name__ == "__main__":
    main()
