#!/bin/sh
# Usage: build.sh ROOT BUILD
# Generates and compiles into BUILD/classes, with the libraries in BUILD/lib.
set -eu
root=$1
build=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../stamp.sh"

mkdir -p "$build"
digest=$(inputs_digest "$here" "$here/../stamp.sh" "$root/proto")
if up_to_date "$build" "$digest"; then exit 0; fi

rm -rf "$build/classes" "$build/lib"
# Fory is built in where it can be had; its profile looks for the jar.
fory=$(sed -n 's:.*<fory.version>\(.*\)</fory.version>.*:\1:p' "$here/pom.xml")
if ! mvn --batch-mode --quiet org.apache.maven.plugins:maven-dependency-plugin:3.8.1:get \
    -Dartifact="org.apache.fory:fory-core:$fory" >"$build/fory.log" 2>&1; then
    echo "org.apache.fory:fory-core:$fory does not resolve; building without Fory" >&2
fi
local=$(mvn --batch-mode --quiet org.apache.maven.plugins:maven-help-plugin:3.5.1:evaluate \
    -Dexpression=settings.localRepository -DforceStdout)
mvn --batch-mode --quiet --file "$here/pom.xml" -Dbuild.dir="$build" -Dproto.dir="$root/proto" \
    -Dfory.jar="$local/org/apache/fory/fory-core/$fory/fory-core-$fory.jar" process-classes >&2
mark_built "$build" "$digest"
