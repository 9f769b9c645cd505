// The protocol's own conformance suite against /mcp, for every revision it knows. It was written
// for servers with its test tools and without a login, so a proxy adds the key and, where a tool
// of ours does what a test tool should, puts that one in its place. What then fails must be in the
// table of docs/mcp.md, and what is in the table must fail.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startServer } from '../support/server.ts'
import { startConformanceProxy } from './conformance-proxy.ts'

const run = promisify(execFile)
const suite = '@modelcontextprotocol/conformance'
// The version that the table in the docs is about. Others have other cases.
const version = '0.2.0-alpha.12'

/** The suite freezes what the newer revisions require; for the older ones everything is run. */
const revisions: Record<string, string[]> = {
  '2025-03-26': ['--suite', 'all', '--spec-version', '2025-03-26'],
  '2025-06-18': ['--suite', 'all', '--spec-version', '2025-06-18'],
  '2025-11-25': ['--requirements', '2025-11-25'],
  '2026-07-28': ['--requirements', '2026-07-28'],
}

type Check = { id: string; status: string; errorMessage?: string }
type Conformance = { version: string; passed: number; notOffered: number }

/** Installs the suite into a temporary folder. */
export async function tryConformance(say: (line: string) => void): Promise<Conformance> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-conformance-'))
  await using proxy = await startConformanceProxy()
  await using server = await startServer({
    ALLOWED_ORIGINS: proxy.url,
    OUTBOUND_ALLOW: '127.0.0.1/32',
  })
  try {
    await proxy.forwardTo(server)
    await writeFile(join(folder, 'package.json'), '{"private":true}')
    await run('npm', ['install', '--no-audit', '--no-fund', `${suite}@${version}`], { cwd: folder })
    const package_ = join(folder, 'node_modules', suite)
    const listed = await listedInDocs()
    const failed = new Set<string>()
    let passed = 0
    for (const [revision, options] of Object.entries(revisions)) {
      const output = join(folder, revision)
      const args = ['server', '--url', `${proxy.url}/mcp`, '-o', output, ...options]
      const program = join(package_, 'dist', 'index.js')
      // It ends with 1 if anything fails, which is read from its files.
      await run(process.execPath, [program, ...args], { timeout: 300_000 }).catch(() => {})
      for (const [scenario, check] of await readChecks(output)) {
        if (check.status === 'SUCCESS') passed++
        if (check.status !== 'FAILURE') continue
        const name = [scenario, `${scenario}:${check.id}`].find((one) => listed.has(one))
        if (!name) say(`✖ ${revision} ${scenario}:${check.id}: ${check.errorMessage}`)
        failed.add(name ?? `${scenario}:${check.id}`)
      }
    }
    assert.deepEqual([...failed].sort(), [...listed].sort(), 'what fails is what docs/mcp.md lists')
    return { version, passed, notOffered: listed.size }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function readChecks(output: string): Promise<[scenario: string, check: Check][]> {
  const found: [string, Check][] = []
  for (const name of await readdir(output)) {
    const scenario = /^server-(.*)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1]
    if (scenario === undefined) continue
    const checks = JSON.parse(await readFile(join(output, name, 'checks.json'), 'utf8')) as Check[]
    for (const check of checks) found.push([scenario, check])
  }
  assert.ok(found.length > 0, `nothing was checked: ${output}`)
  return found
}

/** The names in the first column of the table: scenarios, or single checks of one. */
async function listedInDocs(): Promise<Set<string>> {
  const page = await readFile(new URL('../../docs/mcp.md', import.meta.url), 'utf8')
  const table = page.slice(page.indexOf('| Not offered |')).split('\n\n')[0] ?? ''
  const cells = table.split('\n').map((line) => line.split('|')[1] ?? '')
  return new Set(
    cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '')),
  )
}
