package main

import (
	"bytes"
	"fmt"
	"reflect"
	"sort"
	"strings"

	"github.com/apache/fory/go/fory"
	"github.com/vmihailenco/msgpack/v5"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"interopcheck/peer/forypb"
	"interopcheck/peer/peerpb"
)

// structCodec is what msgpack, flatbuffers and Fory share: values are pointers to structs.
type structCodec struct {
	schema  *Schema
	structs *Structs
	models  []string
}

func (c *structCodec) Models() []string { return c.models }

func (c *structCodec) Plan(model string) *Plan {
	for _, name := range c.models {
		if name == model {
			return c.schema.Plans[name]
		}
	}
	return nil
}

func (c *structCodec) Native(plan *Plan, tree *peerpb.Tree) (any, error) {
	value := reflect.New(c.structs.Type(plan))
	return value.Interface(), c.structs.Fill(plan, tree, value.Elem())
}

func (c *structCodec) Tree(plan *Plan, native any) (*peerpb.Tree, error) {
	return c.structs.Tree(plan, reflect.ValueOf(native).Elem()), nil
}

func (c *structCodec) Normal(data []byte) ([]byte, error) { return data, nil }

func sortedReflectKeys(m reflect.Value) []reflect.Value {
	keys := m.MapKeys()
	sort.Slice(keys, func(i, j int) bool {
		a, b := keys[i], keys[j]
		switch a.Kind() {
		case reflect.String:
			return a.String() < b.String()
		case reflect.Bool:
			return !a.Bool() && b.Bool()
		case reflect.Int32, reflect.Int64:
			return a.Int() < b.Int()
		default:
			return a.Uint() < b.Uint()
		}
	})
	return keys
}

// newPlainStructs are the structs for msgpack and flatbuffers: names as in the schema, enums as
// numbers, Timestamp a message like any other.
func newPlainStructs(schema *Schema) *structCodec {
	c := &structCodec{schema: schema, structs: &Structs{
		Tag:      func(f *Field) reflect.StructTag { return reflect.StructTag(fmt.Sprintf("msgpack:%q", f.Name)) },
		EnumType: func(protoreflect.EnumDescriptor) reflect.Type { return reflect.TypeFor[int32]() },
		Nullable: func(f *Field) bool { return f.Presence },
	}}
	for _, name := range schema.Models {
		if !containsItself(schema.Plans[name], map[string]bool{}) {
			c.models = append(c.models, name)
		}
	}
	return c
}

type msgpackCodec struct{ *structCodec }

func (msgpackCodec) Format() string { return "msgpack" }
func (msgpackCodec) Writer() string { return "go" }
func (msgpackCodec) Bench() bool    { return true }

func (c msgpackCodec) Encode(plan *Plan, native any) ([]byte, error) {
	return c.Serializer(plan)(native)
}

func (msgpackCodec) Serializer(*Plan) func(any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := msgpack.NewEncoder(&buffer)
	encoder.UseCompactInts(true)
	encoder.SetSortMapKeys(true)
	return func(native any) ([]byte, error) {
		buffer.Reset()
		err := encoder.Encode(native)
		return buffer.Bytes(), err
	}
}

func (c msgpackCodec) Decode(plan *Plan, data []byte) (any, error) {
	value := reflect.New(c.structs.Type(plan)).Interface()
	return value, msgpack.Unmarshal(data, value)
}

// The types of enums: Fory wants each of them to be a Go type of its own, which can't be made at
// run time.
type (
	enum0  int32
	enum1  int32
	enum2  int32
	enum3  int32
	enum4  int32
	enum5  int32
	enum6  int32
	enum7  int32
	enum8  int32
	enum9  int32
	enum10 int32
	enum11 int32
)

var enumTypes = []reflect.Type{
	reflect.TypeFor[enum0](), reflect.TypeFor[enum1](), reflect.TypeFor[enum2](), reflect.TypeFor[enum3](),
	reflect.TypeFor[enum4](), reflect.TypeFor[enum5](), reflect.TypeFor[enum6](), reflect.TypeFor[enum7](),
	reflect.TypeFor[enum8](), reflect.TypeFor[enum9](), reflect.TypeFor[enum10](), reflect.TypeFor[enum11](),
}

// foryVariant is a way to tag structs for Fory.
type foryVariant struct {
	writer string
	// elements tags elements of lists and maps as never null, which Go's types don't say.
	elements bool
	// nullable tags pointers as nullable. Without it they are written so all the same, but the
	// struct hash says otherwise.
	nullable bool
}

var foryVariants = map[string]foryVariant{
	"fory-go":                   {writer: "go", elements: true, nullable: true},
	"fory-go-default-elements":  {writer: "go-default-elements", elements: false, nullable: true},
	"fory-go-implicit-nullable": {writer: "go-implicit-nullable", elements: false, nullable: false},
}

type foryCodec struct {
	*structCodec
	fory       *fory.Fory
	compatible bool
	writer     string
}

// noHistoryLimit lifts the limits on what one connection may have seen: a run sends many a mutated
// type definition, and what a reader says of the next input must not depend on it.
const noHistoryLimit = 1 << 30

func newForyCodec(schema *Schema, compatible bool, variant foryVariant) (*foryCodec, error) {
	enums := map[protoreflect.FullName]reflect.Type{}
	ids := map[reflect.Type]uint32{}
	var tooMany error
	structs := &Structs{
		Times: true,
		Tag:   variant.tag,
		EnumType: func(descriptor protoreflect.EnumDescriptor) reflect.Type {
			t, ok := enums[descriptor.FullName()]
			if !ok {
				if len(enums) == len(enumTypes) {
					tooMany = refusef("Fory in this peer holds no more than %d enums", len(enumTypes))
					return enumTypes[0]
				}
				t = enumTypes[len(enums)]
				enums[descriptor.FullName()] = t
				options := descriptor.Options().(*descriptorpb.EnumOptions)
				ids[t] = uint32(proto.GetExtension(options, forypb.E_Enumeration).(*forypb.ForyEnumOptions).GetId())
			}
			return t
		},
		Nullable: func(f *Field) bool { return f.ForyNullable },
	}
	c := &foryCodec{
		structCodec: &structCodec{schema: schema, structs: structs},
		compatible:  compatible,
		writer:      variant.writer,
		fory: fory.New(
			fory.WithXlang(true),
			fory.WithRefTracking(false),
			fory.WithCompatible(compatible),
			fory.WithMaxSchemaVersionsPerType(noHistoryLimit),
			fory.WithMaxAverageSchemaVersionsPerType(noHistoryLimit),
		),
	}
	for _, name := range schema.Models {
		if plan := schema.Plans[name]; registeredByNumber(plan) && !containsItself(plan, map[string]bool{}) {
			c.models = append(c.models, name)
		}
	}
	for _, name := range c.models {
		structs.Type(schema.Plans[name])
	}
	if tooMany != nil {
		return nil, tooMany
	}
	for t, id := range ids {
		if err := c.fory.RegisterEnum(t, id); err != nil {
			return nil, err
		}
	}
	for _, name := range c.models {
		plan := schema.Plans[name]
		if err := c.fory.RegisterStruct(structs.Type(plan), uint32(*plan.ForyID)); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// registeredByNumber tells whether a message and all that it reaches have type ids.
func registeredByNumber(plan *Plan) bool {
	if plan.ForyID == nil {
		return false
	}
	for _, f := range plan.Fields {
		reached := f.Message
		if f.IsMap {
			reached = f.Message.Fields[1].Message
		}
		if reached != nil && !reached.IsTime() && !registeredByNumber(reached) {
			return false
		}
	}
	return true
}

func (v foryVariant) tag(f *Field) reflect.StructTag {
	words := []string{fmt.Sprintf("id=%d", f.Number)}
	element := ""
	if v.elements {
		element = "(nullable=false)"
	}
	switch {
	case f.IsMap && v.elements:
		words = append(words, "type=map(key=_(nullable=false),value=_(nullable=false))")
	case f.IsMap:
	case f.Repeated && strings.HasPrefix(f.ForyType, "array<"):
		words = append(words, "type=array(element="+strings.TrimSuffix(f.ForyType[len("array<"):], ">")+")")
	case f.Repeated && element != "":
		words = append(words, "type=list(element=_"+element+")")
	case f.Repeated:
	default:
		if encoding, _, ok := strings.Cut(f.ForyType, " "); ok {
			words = append(words, "encoding="+encoding)
		}
		if f.ForyNullable && v.nullable {
			words = append(words, "nullable")
		}
	}
	return reflect.StructTag(fmt.Sprintf("fory:%q", strings.Join(words, ",")))
}

func (c *foryCodec) Format() string {
	if c.compatible {
		return "fory"
	}
	return "fory-consistent"
}

func (c *foryCodec) Writer() string { return c.writer }

func (c *foryCodec) Bench() bool { return true }

func (c *foryCodec) Encode(_ *Plan, native any) ([]byte, error) { return c.fory.Serialize(native) }

func (c *foryCodec) Serializer(*Plan) func(any) ([]byte, error) { return c.fory.Serialize }

func (c *foryCodec) Decode(plan *Plan, data []byte) (any, error) {
	value := reflect.New(c.structs.Type(plan)).Interface()
	if err := c.fory.Deserialize(data, value); err != nil {
		return nil, refusef("%s", c.withTypeNames(err.Error()))
	}
	return value, nil
}

// withTypeNames puts names for the types that have none, whose text is all of their fields.
func (c *foryCodec) withTypeNames(message string) string {
	types := make([]string, 0, len(c.structs.types))
	names := map[string]string{}
	for name, t := range c.structs.types {
		types = append(types, t.String())
		names[t.String()] = name
	}
	// The longest first: they hold others.
	sort.Slice(types, func(i, j int) bool { return len(types[i]) > len(types[j]) })
	for _, t := range types {
		message = strings.ReplaceAll(message, t, names[t])
	}
	return message
}
