module interopcheck/peer

go 1.25.0

require (
	github.com/apache/fory/go/fory v1.6.1
	github.com/google/flatbuffers v25.12.19+incompatible
	github.com/vmihailenco/msgpack/v5 v5.4.1
	google.golang.org/protobuf v1.36.12
)

require github.com/vmihailenco/tagparser/v2 v2.0.0 // indirect

tool google.golang.org/protobuf/cmd/protoc-gen-go
