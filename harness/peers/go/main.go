// The Go peer. Usage: peer [--versions | --native]
//
// Serves the peer protocol (harness/PROTOCOL.md) on stdin and stdout.
package main

import (
	"bufio"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	"google.golang.org/protobuf/proto"

	// The generated types, which register themselves.
	_ "interopcheck/peer/benchpb"
	"interopcheck/peer/peerpb"
	_ "interopcheck/peer/suitepb"
)

const (
	protocolVersion = 1
	frameLimitBytes = 256 << 20
)

//go:embed models.binpb
var models []byte

// Codec is a format as one implementation serves it.
type Codec interface {
	Format() string
	Writer() string
	Bench() bool
	Models() []string
	// Plan is nil for a message that is not served.
	Plan(model string) *Plan
	Native(plan *Plan, tree *peerpb.Tree) (any, error)
	Tree(plan *Plan, native any) (*peerpb.Tree, error)
	Encode(plan *Plan, native any) ([]byte, error)
	Decode(plan *Plan, data []byte) (any, error)
	// Serializer is what is timed: it may reuse its buffer.
	Serializer(plan *Plan) func(native any) ([]byte, error)
	// Normal makes Encode's bytes of what a Serializer gave.
	Normal(data []byte) ([]byte, error)
}

// Implementation is a library with the codecs that it serves.
type Implementation struct {
	Name    string
	Version string
	Codecs  []Codec
}

func implementations(schema *Schema) ([]Implementation, error) {
	plain := newPlainStructs(schema)
	found := []Implementation{
		{"protobuf-go", version("google.golang.org/protobuf"), []Codec{
			protobufBinary{messages{schema}}, protobufJSON{messages{schema}},
		}},
		{"flatbuffers", version("github.com/google/flatbuffers"), []Codec{flatbuffersCodec{plain}}},
		{"vmihailenco-msgpack", version("github.com/vmihailenco/msgpack/v5"), []Codec{msgpackCodec{plain}}},
	}
	for _, name := range []string{"fory-go", "fory-go-default-elements", "fory-go-implicit-nullable"} {
		implementation := Implementation{Name: name, Version: version("github.com/apache/fory/go/fory")}
		for _, compatible := range []bool{true, false} {
			codec, err := newForyCodec(schema, compatible, foryVariants[name])
			if err != nil {
				return nil, err
			}
			implementation.Codecs = append(implementation.Codecs, codec)
		}
		found = append(found, implementation)
	}
	return found, nil
}

func version(module string) string {
	info, _ := debug.ReadBuildInfo()
	for _, dependency := range info.Deps {
		if dependency.Path == module {
			return dependency.Version
		}
	}
	return "unknown"
}

// Peer answers requests.
type Peer struct {
	builtIn []Implementation
	brought []Implementation
	// How a bench request is answered.
	measure func(*peerpb.Bench, Codec, *Plan, any) (*peerpb.Measured, error)
}

func (p *Peer) find(implementation, format, model string) (Codec, *Plan, error) {
	// The schema that a request brought goes first.
	for _, source := range [][]Implementation{p.brought, p.builtIn} {
		for _, candidate := range source {
			for _, codec := range candidate.Codecs {
				if candidate.Name == implementation && codec.Format() == format {
					if plan := codec.Plan(model); plan != nil {
						return codec, plan, nil
					}
				}
			}
		}
	}
	return nil, nil, &unsupported{fmt.Sprintf("%s %s %s", implementation, format, model)}
}

type unsupported struct{ message string }

func (u *unsupported) Error() string { return u.message }

func (p *Peer) welcome() *peerpb.Welcome {
	welcome := &peerpb.Welcome{ProtocolVersion: protocolVersion, Language: "go", Runtime: runtime.Version()}
	for _, implementation := range p.builtIn {
		described := &peerpb.Implementation{Name: implementation.Name, Version: implementation.Version}
		for _, codec := range implementation.Codecs {
			described.Capabilities = append(described.Capabilities, &peerpb.Capability{
				Format: codec.Format(), Models: codec.Models(), Writer: codec.Writer(),
				Encode: true, Decode: true, Reencode: true, Bench: codec.Bench(), Schemas: true,
			})
		}
		welcome.Implementations = append(welcome.Implementations, described)
	}
	return welcome
}

// refusing runs what a library does: its errors and panics are refusals in its own words.
func refusing[T any](call func() (T, error)) (result T, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = refusef("panic: %v", fault)
		}
	}()
	result, err = call()
	if err != nil {
		err = &Refused{err.Error()}
	}
	return result, err
}

func (p *Peer) answer(request *peerpb.Request, reply *peerpb.Reply) error {
	switch body := request.Body.(type) {
	case *peerpb.Request_Hello:
		reply.Body = &peerpb.Reply_Hello{Hello: p.welcome()}
	case *peerpb.Request_Schema:
		schema, err := NewSchema(body.Schema.FileDescriptorSet, false)
		if err != nil {
			return refusef("%v", err)
		}
		if p.brought, err = implementations(schema); err != nil {
			return refusef("%v", err)
		}
		reply.Body = &peerpb.Reply_Schema{Schema: &peerpb.SchemaAccepted{}}
	case *peerpb.Request_Encode:
		codec, plan, err := p.find(body.Encode.Implementation, body.Encode.Format, body.Encode.Model)
		if err != nil {
			return err
		}
		native, err := refusing(func() (any, error) { return codec.Native(plan, body.Encode.Value) })
		if err != nil {
			return err
		}
		data, err := refusing(func() ([]byte, error) { return codec.Encode(plan, native) })
		reply.Body = &peerpb.Reply_Encode{Encode: &peerpb.Encoded{Data: data}}
		return err
	case *peerpb.Request_Decode:
		codec, plan, err := p.find(body.Decode.Implementation, body.Decode.Format, body.Decode.Model)
		if err != nil {
			return err
		}
		native, err := refusing(func() (any, error) { return codec.Decode(plan, body.Decode.Data) })
		if err != nil {
			return err
		}
		tree, err := codec.Tree(plan, native)
		reply.Body = &peerpb.Reply_Decode{Decode: &peerpb.Decoded{Value: tree}}
		return err
	case *peerpb.Request_Reencode:
		codec, plan, err := p.find(body.Reencode.Implementation, body.Reencode.Format, body.Reencode.Model)
		if err != nil {
			return err
		}
		data, err := refusing(func() ([]byte, error) {
			native, err := codec.Decode(plan, body.Reencode.Data)
			if err != nil {
				return nil, err
			}
			return codec.Encode(plan, native)
		})
		reply.Body = &peerpb.Reply_Reencode{Reencode: &peerpb.Encoded{Data: data}}
		return err
	case *peerpb.Request_Bench:
		codec, plan, err := p.find(body.Bench.Implementation, body.Bench.Format, body.Bench.Model)
		if err != nil {
			return err
		}
		if !codec.Bench() {
			return &unsupported{fmt.Sprintf("bench of %s %s", body.Bench.Implementation, body.Bench.Format)}
		}
		measured, err := refusing(func() (*peerpb.Measured, error) {
			native, err := codec.Native(plan, body.Bench.Value)
			if err != nil {
				return nil, err
			}
			return p.measure(body.Bench, codec, plan, native)
		})
		reply.Body = &peerpb.Reply_Bench{Bench: measured}
		return err
	default:
		return &unsupported{"a request of a kind that this peer does not know"}
	}
	return nil
}

// replyTo answers a frame. A fault of this program is said, not died of.
func (p *Peer) replyTo(frame []byte) (data []byte, err error) {
	var request peerpb.Request
	if err := proto.Unmarshal(frame, &request); err != nil {
		return nil, fmt.Errorf("a frame that is no request: %w", err)
	}
	reply := &peerpb.Reply{Id: request.Id}
	func() {
		defer func() {
			if fault := recover(); fault != nil {
				debug.PrintStack()
				err = fmt.Errorf("panic: %v", fault)
			}
		}()
		err = p.answer(&request, reply)
	}()
	if err != nil {
		failure := &peerpb.Failure{Kind: peerpb.Failure_INTERNAL, Message: err.Error()}
		switch err.(type) {
		case *Refused:
			failure.Kind = peerpb.Failure_REFUSED
		case *unsupported:
			failure.Kind = peerpb.Failure_UNSUPPORTED
		}
		if !isText(failure.Message) { // it may quote input that is no text
			failure.Message = fmt.Sprintf("%q", failure.Message)
		}
		reply.Body = &peerpb.Reply_Failure{Failure: failure}
	}
	return proto.Marshal(reply)
}

func serve(in io.Reader, out io.Writer, peer *Peer) error {
	reader := bufio.NewReader(in)
	for {
		var head [4]byte
		if _, err := io.ReadFull(reader, head[:]); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		size := binary.LittleEndian.Uint32(head[:])
		if size > frameLimitBytes {
			return fmt.Errorf("a frame of %d bytes is longer than %d", size, frameLimitBytes)
		}
		frame := make([]byte, size)
		if _, err := io.ReadFull(reader, frame); err != nil {
			return err
		}
		data, err := peer.replyTo(frame)
		if err != nil {
			return err
		}
		binary.LittleEndian.PutUint32(head[:], uint32(len(data)))
		if _, err := out.Write(append(head[:], data...)); err != nil {
			return err
		}
	}
}

func run() error {
	// Only frames may go to stdout: whatever a library prints goes to stderr.
	out := os.Stdout
	os.Stdout = os.Stderr

	schema, err := NewSchema(models, true)
	if err != nil {
		return err
	}
	found, err := implementations(schema)
	if err != nil {
		return err
	}
	if len(os.Args) > 1 && os.Args[1] == "--versions" {
		for _, implementation := range found {
			fmt.Fprintln(out, implementation.Name, implementation.Version)
		}
		return nil
	}
	peer := &Peer{builtIn: found, measure: measure}
	if len(os.Args) > 1 && os.Args[1] == "--native" {
		testing.Init()
		peer.measure = measureNative
	}
	return serve(os.Stdin, out, peer)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
