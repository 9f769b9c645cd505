import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { buildSkills } from '#agents/skills/skill-set.ts'
import { toolList } from '#agents/tools/tool-list.ts'
import { operations } from '#api/public/registry.ts'
import { errorTable } from '#core/error-table.ts'
import { sourceFiles } from '../../../scripts/source-files.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Files with codes of another table: graphs (a closed type of problems), command line, client, warnings. */
const haveOwnCodes = /^src\/(?:(?:graph|api\/public\/workflows|cli|client)\/|core\/answer-warnings)/
/** Where a failure is thrown or recorded, its code is the next text in capitals. */
const failing =
  /(?:new (?:Failure|NodeFailure|StepFailure)|\b(?:invalid|refuse|told|badParameter))\(\s*(?:\{\s*code:\s*)?'(?<thrown>[A-Z][A-Z_]+)'|\bcode: '(?<recorded>[A-Z][A-Z_]+)'/g

const used = sourceFiles('src/**/*.ts').flatMap(({ path, text }) =>
  [...text.matchAll(failing)].flatMap(({ groups = {} }) => {
    const code = groups.thrown ?? groups.recorded ?? ''
    return groups.recorded && haveOwnCodes.test(path) ? [] : [{ path, code }]
  }),
)

describe('the table of errors', () => {
  test('has every code the server fails with', () => {
    assert.ok(used.length > 100, `only ${used.length} places were found`)
    for (const { path, code } of used)
      assert.ok(Object.hasOwn(errorTable, code), `${path}: ${code}`)
  })

  test('is complete in the docs and in the skills', () => {
    const pages = [readFileSync(`${root}/docs/errors.md`, 'utf8')]
    const { skills } = buildSkills(toolList(operations), 'https://atelier.example')
    for (const { files } of skills.values()) {
      pages.push(files.find(({ path }) => path === 'references/errors.md')?.content ?? '')
    }
    assert.equal(pages.length, 3)
    for (const page of pages) {
      for (const [code, { message }] of Object.entries(errorTable)) {
        const row = page.split('\n').find((line) => line.includes(`| \`${code}\` |`))
        assert.ok(row?.includes(message), code)
      }
    }
  })
})
