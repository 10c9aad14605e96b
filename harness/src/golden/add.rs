//! `golden add`: a new model or value set, written by our own codec under the name `interop`.

use std::io::Write;
use std::path::Path;

use interop_codec::{Dialect, Format};
use interop_wire::Limits;

use super::manifest::sha256_hex;
use super::next::Next;
use super::regenerate::record;
use super::{DataFile, DataKind, File, Model, OWN_WRITER, Store};
use crate::cli::{AddArgs, JsonForm};
use crate::exit::{COMPATIBLE, Failure, Result};
use crate::subject::Subject;
use crate::values;

/// The corpus of models that users add.
const OWN_CORPUS: &str = "own";

/// Runs the command.
///
/// # Errors
/// Exit 2 when the case is there already or its schema or values are unusable.
pub fn run(args: &AddArgs, out: &mut dyn Write) -> Result<u8> {
    let mut store = Store::find(args.golden.golden.as_deref())?;
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    };
    if !is_name(&args.set) {
        return Err(Failure::usage(format!(
            "--set {:?}: a set's name is made of letters, digits, - and _",
            args.set
        )));
    }
    let subject = Subject::from_args(&args.subject)?;
    let text = values::read_input(&args.values, Limits::DEFAULT.message_bytes)?;
    let document = values::parse_json(&subject, subject.form, &text, Limits::DEFAULT)
        .map_err(|error| Failure::refused(format!("{}: {error}", args.values.display())))?;
    let next = Next::of(&store)?;
    let place = place_of(&mut store, &next, args, &subject)?;

    let formats = if args.formats.is_empty() {
        let mut formats = Format::ALL.to_vec();
        if subject.form == JsonForm::Neutral {
            // A Fory schema has no words for the other formats.
            formats.retain(|format| matches!(format, Format::Fory | Format::ForyConsistent));
        }
        formats
    } else {
        args.formats.clone()
    };
    let values_file = format!("{}values/{}/{}.json", place.prefix, args.set, place.model);
    let mut files = Vec::new();
    for format in formats {
        let name = format!(
            "{}{format}/{}/{}@{OWN_WRITER}.bin",
            place.prefix, args.set, place.model
        );
        let same_case = store.manifest.files.iter().any(|file| {
            file.corpus == place.corpus
                && file.format == format
                && file.set == args.set
                && file.model == place.model
        });
        if same_case {
            return Err(Failure::usage(format!(
                "{} in {format}, set {} is there already",
                place.model, args.set
            ))
            .hint("choose another --set, or another --format"));
        }
        let dialect = Dialect::default_of(format);
        let bytes = interop_codec::encode(&subject.schema, &document, format, &dialect)
            .map_err(|error| Failure::refused(format!("encoding as {format}: {error}")))?;
        let entry = File {
            file: name,
            corpus: place.corpus.clone(),
            format,
            set: args.set.clone(),
            model: place.model.clone(),
            writers: vec![OWN_WRITER.to_owned()],
            values: values_file.clone(),
            bytes: bytes.len() as u64,
            sha256: sha256_hex(&bytes),
        };
        files.push((entry, bytes));
    }
    add_data(&mut store, &next, &values_file, DataKind::Values, &text)?;
    for (entry, bytes) in files {
        next.put(&entry.file, &bytes)?;
        writeln!(out, "{}: {} bytes", entry.file, entry.bytes)?;
        record(&mut store, entry);
    }
    next.take(&store.manifest)?;
    Ok(COMPATIBLE)
}

/// Where a model's files go.
struct Place {
    corpus: String,
    model: String,
    prefix: String,
}

/// The place of a model that MANIFEST has, or a new one with its schema copied in.
fn place_of(store: &mut Store, next: &Next, args: &AddArgs, subject: &Subject) -> Result<Place> {
    let message = subject.name().to_owned();
    if args.subject.model.is_some() {
        let known = store.manifest.models.iter().find(|model| {
            model.message == message && model.evolves.is_none() && model.proto.is_some()
        });
        if let Some(known) = known {
            return Ok(Place {
                corpus: known.corpus.clone(),
                model: known.model.clone(),
                prefix: String::new(),
            });
        }
    }
    let place = Place {
        corpus: OWN_CORPUS.to_owned(),
        model: subject.schema.message(subject.id).name().to_owned(),
        prefix: format!("{OWN_CORPUS}/"),
    };
    let mut model = Model {
        corpus: OWN_CORPUS.to_owned(),
        model: place.model.clone(),
        proto: None,
        fdl: None,
        message,
        field_ids: !args.subject.field_names,
        evolves: None,
    };
    match (&args.subject.proto, &args.subject.fdl) {
        (Some(file), _) => {
            // Imports are resolved now, so that the copy stands for itself.
            let set = if crate::subject::is_descriptor_set(file) {
                read(file)?
            } else {
                interop_schema::proto::descriptor_set(
                    std::slice::from_ref(file),
                    &args.subject.includes,
                )
                .map_err(|error| Failure::usage(format!("{}: {error}", file.display())))?
            };
            let name = format!("{OWN_CORPUS}/schemas/{}.binpb", place.model);
            model.proto = Some(name.clone());
            add_data(store, next, &name, DataKind::Schema, &set)?;
        }
        (None, Some(file)) => {
            let name = format!("{OWN_CORPUS}/schemas/{}.fdl", place.model);
            model.fdl = Some(name.clone());
            add_data(store, next, &name, DataKind::Schema, &read(file)?)?;
        }
        (None, None) => {
            model.proto = crate::subject::embedded_source_of(&model.message).map(str::to_owned);
        }
    }
    let known = store.manifest.model(OWN_CORPUS, &place.model);
    match known {
        Some(known) if known.message != model.message => Err(Failure::usage(format!(
            "another message called {} is there already: {}",
            place.model, known.message
        ))),
        Some(_) => Ok(place),
        None => {
            store.manifest.models.push(model);
            Ok(place)
        }
    }
}

fn read(file: &Path) -> Result<Vec<u8>> {
    std::fs::read(file).map_err(|error| Failure::usage(format!("{}: {error}", file.display())))
}

/// Adds a data file; one that is there with the same bytes stays.
fn add_data(
    store: &mut Store,
    next: &Next,
    file: &str,
    kind: DataKind,
    bytes: &[u8],
) -> Result<()> {
    let sha256 = sha256_hex(bytes);
    match store.manifest.data.iter().find(|known| known.file == file) {
        Some(known) if known.sha256 == sha256 => return Ok(()),
        Some(_) => {
            return Err(
                Failure::usage(format!("{file} is there already, with other content"))
                    .hint("choose another --set"),
            );
        }
        None => {}
    }
    next.put(file, bytes)?;
    let entry = DataFile {
        file: file.to_owned(),
        kind,
        bytes: bytes.len() as u64,
        sha256,
    };
    let data = &mut store.manifest.data;
    let place = data.partition_point(|known| (known.kind, &known.file) < (kind, &entry.file));
    data.insert(place, entry);
    Ok(())
}
