import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { screens } from '../../screens/screens.ts'

const folder = new URL('../../../console/src/', import.meta.url)
const files = ['router.tsx', 'entrance-routes.tsx', 'workflow-routes.tsx']
/** They only lead elsewhere. */
const redirects = new Set(['/playground', '/developer', '/settings'])

test('npm run test:screens looks at every address of the console', () => {
  const samples = { workflowId: 1, runId: 'r', smallId: 2, failedRunId: 'f', taskId: 't' }
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
