// The style sheet of the HTML report (declared in html_parts.h).
#include "seamark/report/html_parts.h"

namespace seamark::report::html {

namespace {

constexpr std::string_view kStyle = R"css(
:root {
  color-scheme: light dark;
  --page: #f7f8f9; --panel: #ffffff; --ink: #18212b; --soft: #5a6673; --faint: #7b8691; --line: #dfe3e8; --head: #f0f3f5;
  --link: #0b5c8a; --brand: #0b6e99; --shadow: 0 1px 2px rgb(20 30 40 / 6%), 0 4px 16px rgb(20 30 40 / 4%);
  --pass: #0b6b5d; --pass-bg: #d8f0ea; --pass-bar: #2a9d8a;
  --partial: #7a4f00; --partial-bg: #fcecc4; --partial-bar: #e6a817;
  --fail: #9c2f0a; --fail-bg: #fbdccf; --fail-bar: #d1491b;
  --rest: #55606b; --rest-bg: #e8ebee; --rest-bar: #ced4da;
  --aot: #4a3f9f; --aot-bg: #eceafb; --aot-bar: #8d83d9;
  --slow: #8a1f66; --slow-bg: #f9dfef; --host: #7a4f00; --host-bg: #fcecc4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #10151a; --panel: #171e25; --ink: #e3e9ee; --soft: #98a5b1; --faint: #74818d; --line: #2a343d; --head: #1d262e;
    --link: #7cc4ec; --brand: #58b4dd; --shadow: none;
    --pass: #7fdcc9; --pass-bg: #10372f; --pass-bar: #2f9e8b;
    --partial: #f3cd75; --partial-bg: #3b2d0b; --partial-bar: #c99317;
    --fail: #ffab8b; --fail-bg: #47200f; --fail-bar: #cf5225;
    --rest: #a9b4be; --rest-bg: #28313a; --rest-bar: #3d4853;
    --aot: #bdb5ff; --aot-bg: #262345; --aot-bar: #6f65c4;
    --slow: #f5a6d6; --slow-bg: #431a36; --host: #f3cd75; --host-bg: #3b2d0b;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
code, pre, .name, tbody th, thead th a, article h3, h3 a {
  font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-variant-ligatures: none;
}
code { font-size: .92em; background: var(--head); padding: .1em .35em; border-radius: 4px; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--brand); outline-offset: 2px; border-radius: 3px; }
header, main, footer { max-width: 84rem; margin: 0 auto; padding: 0 1.5rem; }
header { padding-top: 2.25rem; padding-bottom: 1rem; }
.brand {
  margin: 0; font-size: .8rem; font-weight: 650; letter-spacing: .09em; text-transform: uppercase; color: var(--brand);
}
h1 { margin: .1rem 0 .35rem; font-size: 2.1rem; line-height: 1.15; letter-spacing: -.022em; font-weight: 680; }
h2 { margin: 0 0 .2rem; font-size: 1.35rem; letter-spacing: -.012em; line-height: 1.25; font-weight: 650; }
h3 { margin: 1.6rem 0 .5rem; font-size: 1rem; font-weight: 650; }
.facts { margin: 0; color: var(--soft); }
.banner {
  margin: .9rem 0 0; padding: .6rem .9rem; border-left: 4px solid var(--partial-bar); border-radius: 0 6px 6px 0;
  background: var(--partial-bg); max-width: 62rem;
}
.banner b { color: var(--partial); margin-right: .35em; }
.banner code { background: none; padding: 0; }
.tiles { display: flex; flex-wrap: wrap; gap: .75rem 2.5rem; margin-top: 1.3rem; }
.tiles b { display: block; font-size: 1.6rem; line-height: 1.15; font-weight: 640; letter-spacing: -.02em; }
.tiles span { color: var(--soft); font-size: .85rem; }
nav {
  position: sticky; top: 0; z-index: 5; display: flex; gap: .25rem; overflow-x: auto;
  padding: .45rem max(1rem, calc((100vw - 84rem) / 2 + 1rem)); background: var(--page); border-bottom: 1px solid var(--line);
}
nav a { padding: .3rem .5rem; border-radius: 6px; color: var(--ink); font-size: .9rem; font-weight: 550; white-space: nowrap; }
nav a:hover { background: var(--head); text-decoration: none; }
section { margin: 2.6rem 0 0; }
.note { margin: 0 0 .9rem; color: var(--soft); max-width: 62rem; }
.muted { color: var(--soft); }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.scroll {
  overflow: auto; max-height: 85vh; background: var(--panel); border: 1px solid var(--line); border-radius: 10px;
  box-shadow: var(--shadow); margin: 0 0 1rem;
}
table { border-collapse: separate; border-spacing: 0; width: 100%; font-size: .9rem; }
th, td { padding: .5rem .75rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tbody tr:last-child > * { border-bottom: 0; }
thead th {
  position: sticky; top: 0; z-index: 2; background: var(--head); color: var(--soft); font-size: .8rem; font-weight: 600;
  vertical-align: bottom; white-space: nowrap;
}
thead th a { font-size: .85rem; }
thead th .level { display: block; margin-top: .15rem; width: max-content; }
tbody th { font-weight: 500; font-size: .86rem; min-width: 9rem; }
tbody th small { display: block; color: var(--soft); font-size: .78rem; font-weight: 400; }
.num { text-align: right; white-space: nowrap; }
td small, thead th small { display: block; font-weight: 400; font-size: .78rem; color: var(--soft); }
.why { white-space: normal; font-size: .8rem; min-width: 6rem; }
.zero { color: var(--faint); }
.strong { font-weight: 650; }
td.slow { color: var(--slow); font-weight: 650; }
.t-pass b { color: var(--pass); } .t-partial b { color: var(--partial); } .t-fail b { color: var(--fail); }
.t-aot b { color: var(--aot); }
.divider th {
  background: var(--aot-bg); color: var(--aot); font-family: inherit; font-size: .82rem; font-weight: 600; padding: .35rem .75rem;
}
tbody tr:hover > td, tbody tr:hover > th { background: color-mix(in srgb, var(--head) 55%, var(--panel)); }
tbody tr.divider:hover > th { background: var(--aot-bg); }

.overview tbody th { white-space: nowrap; }
tbody th .level { display: block; width: max-content; margin-top: .15rem; }
.barcell { min-width: 9rem; width: 14%; vertical-align: middle; }
.bar { display: block; width: 100%; height: .8rem; border-radius: 3px; overflow: hidden; }
.b-pass { fill: var(--pass-bar); } .b-partial { fill: var(--partial-bar); } .b-fail { fill: var(--fail-bar); }
.b-rest { fill: var(--rest-bar); }
.b-aot { fill: var(--aot-bg); stroke: var(--aot-bar); stroke-width: 2px; stroke-dasharray: 4 3; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.3rem; margin: -.3rem 0 0; color: var(--soft); font-size: .85rem; }
.swatch { width: .9rem; height: .9rem; border-radius: 3px; vertical-align: -.1rem; margin-right: .4rem; }

.chip, .tag, .level { display: inline-block; border-radius: 5px; font-size: .78rem; line-height: 1.35; white-space: nowrap; }
.chip { padding: .12rem .5rem; font-weight: 620; border: 1px solid transparent; }
.chip i { font-style: normal; margin-right: .35em; }
.chip.pass { color: var(--pass); background: var(--pass-bg); }
.chip.partial { color: var(--partial); background: var(--partial-bg); }
.chip.fail { color: var(--fail); background: var(--fail-bg); }
.chip.notrun, .chip.onref { color: var(--rest); background: var(--rest-bg); }
.chip.pass.aot { color: var(--aot); background: transparent; border: 1px dashed var(--aot-bar); }
.chip.aot { border-style: dashed; border-color: currentcolor; }
.tag { padding: .08rem .4rem; margin-left: .3rem; color: var(--rest); background: var(--rest-bg); }
.tag.slow { color: var(--slow); background: var(--slow-bg); }
.tag.host { color: var(--host); background: var(--host-bg); }
.tag.cat { color: var(--fail); background: none; box-shadow: inset 0 0 0 1px var(--line); }
.level { color: var(--soft); font-family: system-ui, "Liberation Sans", sans-serif; font-weight: 400; }
.level.aot { color: var(--aot); border-bottom: 1px dashed var(--aot-bar); border-radius: 0; }

.matrix th[scope=row], .matrix .corner { position: sticky; left: 0; z-index: 1; background: var(--panel); border-right: 1px solid var(--line); }
.matrix .corner { z-index: 3; background: var(--head); }
.matrix tbody th { max-width: 22rem; }
.matrix td { min-width: 10.5rem; }
.sub { margin-top: .2rem; font-size: .8rem; color: var(--soft); display: flex; flex-wrap: wrap; gap: 0 .55rem; align-items: baseline; }
.sub .tag { margin-left: 0; }
.sub .time { color: var(--ink); }
.absent { background: repeating-linear-gradient(135deg, transparent 0 5px, var(--head) 5px 6px); }
.failures table, .ratios table { table-layout: fixed; min-width: 46rem; }
.failures th:first-child { width: 27%; } .failures th:nth-child(2) { width: 16%; }
.ratios th:first-child { width: 10rem; } .ratios thead th:nth-child(2) { width: 32%; }
.ratios th:last-child { width: 7rem; }
.failures .tag { white-space: normal; }
td > .tag:first-child { margin-left: 0; }
.error {
  margin: 0; max-height: 12rem; overflow: auto; white-space: pre-wrap; font-size: .8rem; line-height: 1.45; color: var(--ink);
}
.error b { color: var(--fail); }
.categories td { white-space: nowrap; }
.categories td small { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
tr.first > * { border-top: 1px solid var(--line); }
tbody tr.text td { background: none; }
tr:has(+ tr.text) > * { border-bottom: 0; padding-bottom: .15rem; }
tr.text td { padding-top: 0; }
ul.plain { list-style: none; margin: 0; padding: 0; color: var(--soft); }

details { background: var(--panel); border: 1px solid var(--line); border-bottom-width: 0; }
details:first-of-type { border-radius: 10px 10px 0 0; }
details:last-of-type { border-radius: 0 0 10px 10px; border-bottom-width: 1px; }
details[open] { border-bottom-width: 1px; }
summary { padding: .55rem .9rem; cursor: pointer; display: flex; flex-wrap: wrap; gap: .25rem .9rem; align-items: baseline; }
summary::before { content: "▸"; color: var(--soft); width: .8em; }
details[open] > summary::before { content: "▾"; }
summary:hover { background: var(--head); }
summary .name { font-size: .9rem; font-weight: 600; min-width: 15rem; }
.chips { display: flex; flex-wrap: wrap; gap: .2rem 1rem; font-size: .8rem; }
.inside { padding: 0 .9rem .9rem; scroll-margin-top: 7rem; }
.inside .scroll { margin: 0; box-shadow: none; }

.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); gap: 1rem; align-items: start; }
article { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: .9rem 1.1rem; box-shadow: var(--shadow); }
article h3 { margin: 0 0 .5rem; }
article.unusable { border-style: dashed; box-shadow: none; background: none; }
:target { outline: 2px solid var(--brand); outline-offset: 2px; }
section:target, .inside:target { outline: 0; }
dl { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: .15rem .9rem; margin: 0; font-size: .88rem; }
dt { color: var(--soft); } dd { margin: 0; }
dl.notes { font-size: .92rem; gap: .45rem 1.2rem; max-width: 68rem; }
footer { margin-top: 3rem; padding-top: 1rem; padding-bottom: 3rem; color: var(--soft); font-size: .85rem; }

@media (max-width: 40rem) {
  header, main, footer { padding-left: 1rem; padding-right: 1rem; }
  h1 { font-size: 1.7rem; }
  .tiles { gap: .6rem 1.6rem; }
  .tiles b { font-size: 1.3rem; }
  th, td { padding: .42rem .55rem; }
  .matrix tbody th { min-width: 7.5rem; max-width: 9.5rem; font-size: .78rem; }
  .matrix td { min-width: 9.5rem; }
  summary .name { min-width: 0; }
  dl { grid-template-columns: 5.5rem minmax(0, 1fr); }
}
@media print {
  :root { --page: #fff; --shadow: none; }
  body { font-size: 10pt; }
  nav { display: none; }
  .scroll { max-height: none; overflow: visible; }
  thead th, .matrix th[scope=row] { position: static; }
  thead { display: table-header-group; }
  tr, article { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  .error { max-height: none; }
  a { color: inherit; }
  details::details-content { content-visibility: visible; height: auto; }
  .chip, .tag, .b-pass, .b-partial, .b-fail, .b-rest, .b-aot { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

}  // namespace

std::string_view style_sheet() { return kStyle; }

// Of the text between <style> and </style>; tests/browser/test_report_html.py says the right one.
std::string_view style_hash() { return "LPlF5jsf4X79t58sxfttO6Z3vQr2Rn0pKRO7ZzYxlD0="; }

}  // namespace seamark::report::html
