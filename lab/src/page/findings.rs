//! What was found, in sentences whose figures are the results': for the first page of the report,
//! and for documents (`splice.rs`).

use super::quote::{Source, fill};

/// The sentences, with figures as `quote.rs` knows them.
const SENTENCES: [&str; 5] = [
    "**A fork costs a nanosecond or two.** On one thread `Scope::join` adds \
     <!--= over study tree 100000000 sumac-scope x1 --><!--/=--> ns to a node of \
     <!--= piece study tree 100000000 baseline x1 --><!--/=-->, `sumac::join` \
     <!--= over study tree 100000000 sumac-join x1 --><!--/=-->, chili's join \
     <!--= over study tree 100000000 chili x1 --><!--/=-->, rayon's \
     <!--= over study tree 100000000 rayon x1 --><!--/=-->.",
    "**Forks everywhere do not eat the gain.** With one at each of 100 million nodes, the sum of a \
     tree on two threads is <!--= speed-up study tree 100000000 sumac-scope x2 --><!--/=--> times as \
     fast as the plain program, <!--= speed-up study tree 100000000 rayon x2 --><!--/=--> times with \
     rayon; split by hand, <!--= speed-up study tree 100000000 static-split x2 --><!--/=--> times.",
    "**They are used early.** Of work that takes \
     <!--= time unit sha1-tree 1023 work=1 baseline x1 --><!--/=--> in all, with a join at every \
     node, two threads make <!--= speed-up unit sha1-tree 1023 work=1 sumac-join x2 --><!--/=--> times the speed; \
     <!--= speed-up unit sha1-tree 1023 work=1 rayon x2 --><!--/=--> with rayon, \
     <!--= speed-up unit sha1-tree 1023 work=1 chili x2 --><!--/=--> with chili.",
    "**Threads without a processor do little harm.** A tree of 1,000 nodes on 16 threads of two \
     cores takes <!--= time study tree 1000 sumac-scope x16 --><!--/=-->, the plain program \
     <!--= time study tree 1000 baseline x1 --><!--/=-->; rayon \
     <!--= time study tree 1000 rayon x16 --><!--/=-->, chili \
     <!--= time study tree 1000 chili x16 --><!--/=-->.",
    "**Ranks keep up with threads.** The sum of 512 MiB takes \
     <!--= time adders bytes 536870912 sumac-mpi x2 --><!--/=--> on two MPI ranks that share \
     memory, <!--= time adders bytes 536870912 sumac x2 --><!--/=--> on two threads, \
     <!--= time adders bytes 536870912 c x2 --><!--/=--> in C with messages.",
];

/// The sentences for which there are results, as Markdown.
pub(crate) fn sentences(source: Source<'_>) -> Vec<String> {
    let filled = SENTENCES.iter().filter_map(|text| fill(text, source).ok());
    filled.map(|(text, _)| plain(&text)).collect()
}

/// The same without marks.
fn plain(text: &str) -> String {
    let mut parts = text.split("<!--");
    let mut out = parts.next().unwrap_or("").to_string();
    for part in parts {
        out += part.split_once("-->").map_or(part, |(_, text)| text);
    }
    out
}
