// Every address that the vendors' own clients call is served, or is in the table of what is not.
// A resource that a new version of a client adds fails here until somebody decides.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { notOfferedOfAnthropic, notOfferedOfOpenAi } from '#compat/not-offered.ts'
import { v1Paths } from '#compat/routes/v1-routes.ts'
import { createPathTable } from '#http/path-table.ts'

/** The addresses in the code of a client's resources, with an `x` for each parameter. */
function addressesIn(client: string, pattern: RegExp): string[] {
  const folder = join(dirname(fileURLToPath(import.meta.resolve(client))), 'resources')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const found = new Set<string>()
  for (const file of files.filter((name) => name.endsWith('.mjs'))) {
    const code = readFileSync(join(folder, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
    for (const [, path = ''] of code.matchAll(pattern)) {
      found.add(path.replace(/\$\{[^}]*\}|\{\w+\}/g, 'x').replace(/\?.*$/, ''))
    }
  }
  return [...found].sort()
}

const clients = [
  {
    client: 'openai',
    pattern: /\.(?:get|post|put|patch|delete|getAPIList)\(\s*(?:path *)?['`](\/[^'`]+)['`]/g,
    prefix: '/v1',
    table: notOfferedOfOpenAi,
    least: 150,
  },
  {
    client: '@anthropic-ai/sdk',
    pattern: /\.(?:get|post|put|patch|delete|getAPIList)\(\s*(?:path *)?['`](\/v1[^'`]+)['`]/g,
    prefix: '',
    table: notOfferedOfAnthropic,
    least: 60,
  },
]

const served = createPathTable([], v1Paths)

for (const { client, pattern, prefix, table, least } of clients) {
  test(`every address of ${client} is served or has a sentence that helps`, () => {
    const addresses = addressesIn(client, pattern).map((path) => prefix + path)
    assert.ok(addresses.length >= least, `${addresses.length} addresses were found`)
    const rows = Object.keys(table).map((path) => `/v1${path.replace(/\/\*$/, '')}`)
    const rowOf = (address: string) =>
      rows.find((row) => address === row || address.startsWith(`${row}/`))
    assert.deepEqual(
      addresses.filter((address) => !served.find(address) && !rowOf(address)),
      [],
    )
    // Of what the clients no longer have, only Anthropic's first API is still answered.
    const used = new Set(addresses.map(rowOf))
    assert.deepEqual(
      rows.filter((row) => !used.has(row)),
      client === 'openai' ? [] : ['/v1/complete'],
    )
    for (const sentence of Object.values(table)) assert.match(sentence, /^[A-Z].+\.$/)
  })
}
