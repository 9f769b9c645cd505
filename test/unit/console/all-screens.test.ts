import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { inJourneys } from '../../screens/dialogs.ts'
import { screens } from '../../screens/screens.ts'

const folder = new URL('../../../console/src/', import.meta.url)
const files = ['router.tsx', 'entrance-routes.tsx', 'workflow-routes.tsx']
/** They only lead elsewhere. */
const redirects = new Set(['/playground', '/developer', '/settings'])

test('npm run test:screens looks at every address of the console', () => {
  const samples = {
    ...{ workflowId: 1, runId: 'r', smallId: 2, failedRunId: 'f', taskId: 't' },
    ...{ drawnId: 3, pictureId: 4 },
  }
  const seen = screens.map(({ path }) => path(samples).replace(/[?#].*$/, ''))
  const text = files.map((file) => readFileSync(new URL(file, folder), 'utf8')).join('\n')
  const paths = [...text.matchAll(/ path: '(\/[^']*)'/g)].map(([, path = '']) => path)
  assert.ok(paths.length > 25)
  for (const path of paths.filter((one) => !redirects.has(one))) {
    const pattern = new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+')}$`)
    assert.ok(
      seen.some((one) => pattern.test(one)),
      `no screen at ${path}`,
    )
  }
})

test('npm run test:screens opens every dialog, or a journey does', () => {
  const cwd = fileURLToPath(folder)
  const drawing = globSync('**/*.tsx', { cwd })
    .filter((file) => !/^(ui|screens\/kit)\//.test(file))
    .filter((file) =>
      /<(Dialog|SidePanel|ShownOnceDialog)\b/.test(readFileSync(cwd + file, 'utf8')),
    )
  assert.ok(drawing.length > 25)
  const opened = new Set([...screens.map(({ opens }) => opens), ...Object.keys(inJourneys)])
  assert.deepEqual(
    drawing.filter((file) => !opened.has(file)),
    [],
  )
  for (const file of opened) if (file) assert.ok(readFileSync(cwd + file, 'utf8'))
  for (const journey of Object.values(inJourneys))
    assert.match(
      readFileSync(new URL(`../../console/${journey}.test.ts`, import.meta.url), 'utf8'),
      /assertSound|assertAccessible/,
    )
})
