// The guides for operators, typed as they stand: every line that begins with `$` goes to one shell.
// Paths and addresses of the guides become those of the test, and `systemctl` starts and stops a
// server with the settings of /etc/atelier.env and the unit's own DATA_DIR, as the unit does.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../../support/free-port.ts'
import { startS3Server } from '../../support/s3-server.ts'
import { newFolder, newPlace } from '../backup/setting.ts'
import { blocksOf, root } from '../docs/doc-page.ts'

const typed = (guide: string): string[] =>
  blocksOf(`docs/${guide}`)
    .filter(({ language }) => language === 'console')
    .flatMap(({ text }) => text.split('\n'))
    .flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []))

const atelier = `#!/bin/sh
exec "${process.execPath}" "${join(root, 'src/cli/main.ts')}" "$@"
`

/** Waits until the server is ready, and until it has ended. */
const systemctl = (folder: string) => `#!/bin/bash -eu
if [ "$1" = stop ]; then
  kill "$(cat ${folder}/pid)"
  while kill -0 "$(cat ${folder}/pid)" 2>/dev/null; do sleep 0.05; done
else
  set -a; DATA_DIR=${folder}/var/lib/atelier; . ${folder}/atelier.env; set +a
  # The log of an earlier start must not be mistaken for this one's.
  : > ${folder}/server.log
  atelier start >> ${folder}/server.log 2>&1 < /dev/null &
  echo $! > ${folder}/pid
  until grep -q 'Atelier is ready' ${folder}/server.log; do
    kill -0 "$(cat ${folder}/pid)" || { cat ${folder}/server.log >&2; exit 1; }
    sleep 0.05
  done
fi
`

async function runShell(script: string, env: Record<string, string>) {
  const child = spawn('bash', ['-eu', '-c', script], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk
    })
  }
  const [code] = await once(child, 'close')
  assert.equal(code, 0, said)
  return said
}

test('the guides for backups and upgrades go as they are written', async (t) => {
  await using s3 = await startS3Server()
  const { DATABASE_URL = '' } = await newPlace(t, 'postgres')
  const folder = await newFolder(t)
  const bin = join(folder, 'bin')
  await mkdir(bin)
  await writeFile(join(bin, 'atelier'), atelier)
  await writeFile(join(bin, 'systemctl'), systemctl(folder))
  for (const name of ['atelier', 'systemctl']) await chmod(join(bin, name), 0o755)
  const port = await freePort()
  const settings = {
    ...{ PORT: port, ATELIER_URL: `http://127.0.0.1:${port}`, CONSOLE: 'off' },
    AWS_ACCESS_KEY_ID: s3.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.credentials.secretAccessKey,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
  await writeFile(join(folder, 'atelier.env'), lines.join(''))
  const places = [
    ['/etc/atelier.env', `${folder}/atelier.env`],
    ['/opt/atelier/node_modules/.bin', bin],
    ['/var/lib/atelier', `${folder}/var/lib/atelier`],
    ['postgres://atelier:secret@db.internal/atelier', DATABASE_URL],
    ['s3://atelier-media?region=eu-central-1', `"${s3.mediaUrl}"`],
    ['/backups/', `${folder}/backups/`],
    ['/srv/', `${folder}/srv/`],
  ] as const
  const commands = [...typed('upgrading.md'), ...typed('backups.md')]
  assert.ok(commands.length > 10)
  const adapted = commands.map((command) =>
    places.reduce((text, [from, to]) => text.replaceAll(from, to), command),
  )
  const script = ['systemctl start atelier', ...adapted, 'systemctl stop atelier'].join('\n')
  t.after(() =>
    runShell(`kill "$(cat ${folder}/pid)" 2>/dev/null || true`, { PATH: '/usr/bin:/bin' }),
  )
  const said = await runShell(script, { PATH: `${bin}:${process.env.PATH}`, HOME: folder })
  assert.match(said, /monday: \d+ rows/)
  assert.match(said, /monday is whole/)
  assert.match(said, /Restored \d+ rows/)
  assert.match(said, /Moved \d+ rows/)
  assert.match(await readFile(join(folder, 'server.log'), 'utf8'), /Atelier is ready/)
})
