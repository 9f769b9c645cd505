import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildClient } from '../../../scripts/build-client.ts'
import { startServer } from '../../support/server.ts'
import { blocksOf, isAsShown, root } from './doc-page.ts'
import { openShell } from './shell.ts'

const page = 'docs/client.md'
const mark = '@@next@@'

test(`the program of ${page} prints what is shown`, async () => {
  buildClient()
  await using server = await startServer()
  await using shell = openShell(server)
  mkdirSync(join(shell.folder, 'node_modules'))
  symlinkSync(root, join(shell.folder, 'node_modules', 'atelier'))
  const blocks = blocksOf(page).filter(({ notRun }) => notRun === null)
  const pieces = blocks.flatMap((block, index) =>
    block.language === 'js' ? [{ ...block, shown: blocks[index + 1]?.text ?? '' }] : [],
  )
  const program = pieces.map(({ text }) => `${text}console.log('${mark}')\n`).join('')
  writeFileSync(
    join(shell.folder, 'page.mjs'),
    program.replaceAll('http://127.0.0.1:8787', server.url),
  )
  const { printed } = await shell.type('node page.mjs')
  const printedBy = printed.split(mark)
  assert.equal(printedBy.length, pieces.length + 1, printed)
  for (const [index, { line, shown }] of pieces.entries()) {
    const seen = printedBy[index] ?? ''
    assert.ok(isAsShown(shown, seen, false), `${page}:${line} shows\n${shown}\nbut prints\n${seen}`)
  }
})
