"""The Python peer. Usage: peer.py BUILD [--versions | --native]

Serves the peer protocol (harness/PROTOCOL.md) on stdin and stdout.
"""

import os
import platform
import sys
import traceback
from functools import partial

from google.protobuf.internal import api_implementation

import bench
from neutral import Refused
from schema import Schema

PROTOCOL_VERSION = 1
FRAME_LIMIT_BYTES = 256 << 20


class Unsupported(Exception):
    """Not declared by this peer."""


def libraries():
    """The library modules that this process serves."""
    import protobuf_library

    if api_implementation.Type() != "upb":
        return [protobuf_library]
    import flatbuffers_library
    import fory_library
    import msgpack_library

    return [protobuf_library, flatbuffers_library, msgpack_library, fory_library]


class Peer:
    def __init__(self, build, native=False):
        self.measure = bench.measure
        if native:
            from native import measure

            self.measure = partial(measure, build)
        with open(os.path.join(build, "peer.binpb"), "rb") as file:
            protocol = Schema(file.read())
        self.Request = protocol.plans["interop.peer.Request"].message_class
        self.Reply = protocol.plans["interop.peer.Reply"].message_class
        with open(os.path.join(build, "models.binpb"), "rb") as file:
            self.built_in = self.serve(file.read())
        self.brought = None

    @staticmethod
    def serve(file_descriptor_set):
        schema = Schema(file_descriptor_set)
        found = [i for library in libraries() for i in library.implementations(schema)]
        codecs = {(name, codec.format): codec for name, _, of in found for codec in of}
        return schema, found, codecs

    def hello(self, welcome):
        welcome.protocol_version = PROTOCOL_VERSION
        welcome.language = "python"
        welcome.runtime = f"{platform.python_implementation()} {platform.python_version()}"
        for name, version, codecs in self.built_in[1]:
            implementation = welcome.implementations.add(name=name, version=version)
            for codec in codecs:
                implementation.capabilities.add(
                    format=codec.format,
                    models=codec.models(),
                    encode=True,
                    decode=True,
                    reencode=True,
                    bench=codec.bench,
                    writer=codec.writer,
                    schemas=codec.schemas,
                )

    def find(self, request):
        """The codec and plan of a request; the schema that was brought goes first."""
        for source in filter(None, (self.brought, self.built_in)):
            schema, _, codecs = source
            codec = codecs.get((request.implementation, request.format))
            if codec is not None and request.model in codec.models():
                return codec, schema.plans[request.model]
        raise Unsupported(f"{request.implementation} {request.format} {request.model}")

    def answer(self, request, reply):
        kind = request.WhichOneof("body")
        body = getattr(request, kind) if kind else None
        if kind == "hello":
            self.hello(reply.hello)
        elif kind == "schema":
            self.brought = self.serve(body.file_descriptor_set)
            reply.schema.SetInParent()
        elif kind == "encode":
            codec, plan = self.find(body)
            native = refusing(codec.native, plan, body.value)
            reply.encode.data = refusing(codec.serializer(plan), native)
        elif kind == "decode":
            codec, plan = self.find(body)
            native = refusing(codec.parser(plan), body.data)
            reply.decode.value.SetInParent()
            codec.tree(plan, native, reply.decode.value)
        elif kind == "reencode":
            codec, plan = self.find(body)
            native = refusing(codec.parser(plan), body.data)
            reply.reencode.data = refusing(codec.serializer(plan), native)
        elif kind == "bench":
            codec, plan = self.find(body)
            if not codec.bench:
                raise Unsupported(f"bench of {body.implementation} {body.format}")
            native = refusing(codec.native, plan, body.value)
            refusing(self.measure, body, native, codec.serializer(plan), codec.parser(plan), reply.bench)
        else:
            raise Unsupported("a request of a kind that this peer does not know")

    def reply_to(self, frame):
        request = self.Request.FromString(frame)
        reply = self.Reply(id=request.id)
        try:
            self.answer(request, reply)
        except Refused as error:
            fail(reply, reply.failure.REFUSED, str(error))
        except Unsupported as error:
            fail(reply, reply.failure.UNSUPPORTED, str(error))
        except Exception as error:  # a fault of this program: said, not died of
            traceback.print_exc()
            fail(reply, reply.failure.INTERNAL, f"{type(error).__name__}: {error}")
        return reply.SerializeToString()


def refusing(call, *arguments):
    """Calls into a library: what it raises is a refusal in its own words."""
    try:
        return call(*arguments)
    except Refused:
        raise
    except Exception as error:
        raise Refused(f"{type(error).__name__}: {error}") from error


def fail(reply, kind, message):
    reply.failure.kind = kind
    # A message may quote input that is no text.
    reply.failure.message = message.encode("utf-8", "backslashreplace").decode()


def read_exactly(stream, size):
    data = stream.read(size)
    return data if data is not None and len(data) == size else None


def main(build, versions, native):
    # Only frames may go to stdout: whatever a library prints goes to stderr.
    frames_in = os.fdopen(os.dup(0), "rb")
    frames_out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    peer = Peer(build, native)
    if versions:
        for name, version, _ in peer.built_in[1]:
            frames_out.write(f"{name} {version}\n".encode())
        frames_out.flush()
        return
    while True:
        head = read_exactly(frames_in, 4)
        if head is None:
            return
        size = int.from_bytes(head, "little")
        if size > FRAME_LIMIT_BYTES:
            sys.exit(f"a frame of {size} bytes is longer than {FRAME_LIMIT_BYTES}")
        frame = read_exactly(frames_in, size)
        if frame is None:
            sys.exit("stdin ended inside a frame")
        reply = peer.reply_to(frame)
        frames_out.write(len(reply).to_bytes(4, "little") + reply)
        frames_out.flush()


if __name__ == "__main__":
    main(sys.argv[1], "--versions" in sys.argv[2:], "--native" in sys.argv[2:])
