import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { createMarkdownReader, lexMarkdown } from '#console/ui/markdown/lex-markdown.ts'
import { blockElement } from '#console/ui/markdown/markdown-elements.ts'

const parts = {
  Code: ({ text, label }: { text: string; label: string }) =>
    createElement('pre', { title: label }, text),
}
type Blocks = ReturnType<typeof lexMarkdown>
const drawn = (blocks: Blocks): string =>
  renderToStaticMarkup(
    createElement('div', null, ...blocks.map((block) => blockElement(block, parts))),
  )
/** Without classes: how it looks is for the eye. */
const html = (text: string): string =>
  drawn(lexMarkdown(text))
    .slice(5, -6)
    .replace(/ class="[^"]*"/g, '')

test('headings, lists, tables, quotes and code become elements', () => {
  assert.equal(
    html('A *b* **c** ~~d~~ `e`'),
    '<p>A <em>b</em> <strong>c</strong> <del>d</del> <code>e</code></p>',
  )
  assert.equal(html('3. a\n4. b'), '<ol start="3"><li>a</li><li>b</li></ol>')
  assert.equal(html('- a\n  - b'), '<ul><li>a<ul><li>b</li></ul></li></ul>')
  assert.equal(html('```ts title=a\nlet a: B<C>\n```'), '<pre title="ts">let a: B&lt;C&gt;</pre>')
  assert.equal(html('> a\n> b'), '<blockquote><p>a<br/>b</p></blockquote>')
  assert.match(
    html('|a|b|\n|-|-:|\n|1|`2`|'),
    /^<section aria-label="Table" tabindex="0"><table><thead><tr><th scope="col">a<.*<td><code>2<\/code><\/td>/,
  )
  assert.match(html('- [x] a'), /<span role="img" aria-label="Done">/)
})

test('headings of an answer never skip a level, whatever the model wrote', () => {
  const levels = (text: string) =>
    [...html(text).matchAll(/<h(\d)/g)].map(([, level]) => Number(level))
  assert.deepEqual(levels('#### a\n\n# b\n\n### c\n\n###### d'), [3, 3, 4, 5])
})

test('HTML is shown as it was written, and character references as what they stand for', () => {
  assert.equal(
    html('a <b onclick="x()">b</b> &amp; &#x41;&#66; &hellip; &nosuch; &#0;'),
    '<p>a <span>&lt;b onclick=&quot;x()&quot;&gt;</span>b<span>&lt;/b&gt;</span> &amp; AB … &amp;nosuch; \ufffd</p>',
  )
  const hostile =
    '<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n<svg/onload=alert(1)>'
  assert.doesNotMatch(html(hostile), /<(script|img|svg)/)
  assert.match(html(hostile), /&lt;script&gt;alert\(1\)/)
  assert.equal(html('`&amp;`'), '<p><code>&amp;amp;</code></p>')
})

test('links lead to https and mailto only, and a picture becomes a link', () => {
  assert.match(
    html('[a](https://b.example/?c=1&amp;d=2)'),
    /<a href="https:\/\/b\.example\/\?c=1&amp;d=2" target="_blank" rel="noreferrer noopener nofollow">a<\/a>/,
  )
  assert.match(html('<a@b.example>'), /<a href="mailto:a@b\.example"/)
  assert.match(
    html('![p](https://b.example/p.png)'),
    /<a href="https:\/\/b\.example\/p\.png"[^>]*>p<\/a>/,
  )
  for (const address of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java&#115;cript:alert(1)',
    '&#106;avascript:alert(1)',
    '\tjavascript:alert(1)',
    'data:text/html,<script>',
    'vbscript:x',
    'file:///etc/passwd',
    'http://b.example/',
    '/console/settings',
    '//b.example',
    'blob:https://b.example/1',
  ])
    for (const text of [`[a](<${address}>)`, `![a](<${address}>)`, `[a][1]\n\n[1]: <${address}>`])
      assert.doesNotMatch(html(text), /<a |<img/, text)
})

test('formulas stay as they were written, and prices are no formulas', () => {
  assert.equal(html('So $a_1 * b_2 * c$ holds'), '<p>So <code>$a_1 * b_2 * c$</code> holds</p>')
  assert.equal(html('$$\n\\sum_{i} x_i\n$$'), '<pre><code>$$\n\\sum_{i} x_i\n$$</code></pre>')
  assert.equal(html('From $5 to $10, or $5/$10'), '<p>From $5 to $10, or $5/$10</p>')
})

const article = [
  '# Title\n\nSome *text* with `code`.\nA second line.\n',
  '1. one\n\n2. two\n   - inner\n\n     more\n3. three\n',
  '| a | b |\n|---|---|\n| 1 | **2** |\n| 3 | 4 |\n',
  '```js\nconst a = "```"\n\n\nlet b\n```\n',
  '> quote\n> - list in it\n\n---\n\nSetext\n======\n',
  '<details>\n<summary>x</summary>\n\ninner\n\n</details>\n\n',
  'The end: $x_1$ and [a link](https://a.example).\r\n\r\nLast.',
].join('\n')

test('a text that arrives piece by piece is drawn as the whole text would be', () => {
  const whole = drawn(lexMarkdown(article))
  for (const size of [1, 2, 3, 7, 20, 64, 1000]) {
    const read = createMarkdownReader()
    let blocks: Blocks = []
    for (let at = 0; at < article.length; at += size)
      blocks = [...read(article.slice(0, at + size))]
    assert.equal(drawn(blocks), whole, `pieces of ${size}`)
  }
})

test('blocks that are complete keep their identity while the text grows', () => {
  const read = createMarkdownReader()
  const [first] = read('a\n\nb\n\nc\n\nd')
  const [again] = read('a\n\nb\n\nc\n\nd\n\ne')
  assert.equal(first, again)
})

test('a fence that is not closed yet is code', () => {
  assert.equal(html('Look:\n\n```py\nprint(1)'), '<p>Look:</p><pre title="py">print(1)</pre>')
})

// Each of these took seconds to minutes, or the stack, in the lexer alone.
const costly: Record<string, string> = {
  underscores: `${'_'.repeat(50_000)}a`,
  'words with underscores': '_a'.repeat(20_000),
  stars: `${'*'.repeat(50_000)}a`,
  quotes: `${'>'.repeat(20_000)}x`,
  'nested lists': Array.from({ length: 400 }, (_, depth) => `${' '.repeat(depth * 2)}- x`).join(
    '\n',
  ),
  'lists on one line': `${'- '.repeat(5_000)}x`,
  'open brackets': '['.repeat(50_000),
  'open links': '[a]('.repeat(20_000),
  'open tags': '<a '.repeat(20_000),
  dollars: '$'.repeat(50_000),
  'dollars and words': '$a '.repeat(20_000),
}

test('no text keeps the page from being drawn, and each is shown', () => {
  for (const [name, text] of Object.entries(costly)) {
    assert.ok(html(text).length > 0, name)
  }
})

test('of a giant table the first 500 rows are drawn, with a word about the others', () => {
  const shown = html(`|a|b|\n|-|-|\n${'|x|y|\n'.repeat(5_000)}`)
  assert.equal(shown.match(/<tr>/g)?.length, 501)
  assert.match(shown, /4500 more rows/)
})
