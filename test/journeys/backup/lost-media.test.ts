// An original that has lost bytes of its media is still worth a backup.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { P, startServer } from '../../support/server.ts'
import { dispatched } from '../cli/setting.ts'
import { readRun } from '../runs/setting.ts'
import { cli, fill, newFolder, newPlace, rowsOf } from './setting.ts'

test('media that is gone or damaged is named, and left out together with its records', async (t) => {
  const place = await newPlace(t, 'sqlite')
  const server = await startServer(place)
  t.after(() => server.stop())
  const there = await fill(server)
  const blobs = await rowsOf<{ name: string; mime_type: string }>(
    place,
    `select name, mime_type from media_blobs where state = 'LIVE' order by mime_type desc`,
  )
  const [picture, payload] = blobs.map(({ name }) =>
    join(place.DATA_DIR ?? '', 'media', name.slice(0, 2), name.slice(2, 4), name),
  )
  await rm(picture ?? '')
  await writeFile(payload ?? '', 'something else')
  const examined = await dispatched(['doctor', '--media', '--json'], { env: place })
  const found = JSON.parse(examined.stdout).findings.filter(
    ({ check }: { check: string }) => check === 'media',
  )
  assert.equal(examined.code, 1)
  assert.match(found[0].message, /^2 of \d+ files missing or damaged$/)
  assert.match(JSON.stringify(found), /no blob .*is damaged|is damaged.*no blob /)
  const folder = join(await newFolder(t), 'copy')
  const said = JSON.parse((await cli(['backup', folder, '--json'], place)).stdout)
  assert.equal(said.lost.length, 2)
  assert.match(said.lost.join('\n'), /no blob .*\n?/)
  assert.match(said.lost.join('\n'), /is damaged: its 14 bytes are not those that were kept/)
  await server.stop()

  const restored = await newPlace(t, 'sqlite')
  await cli(['restore', folder, '--trust'], restored)
  await using copy = await startServer(restored)
  assert.deepEqual((await readRun(copy, there.storyRun)).outputs, there.outputs)
  const { body } = await copy.call(`${P}/tasks/${there.taskId}`)
  assert.equal(body.data.status, 'COMPLETED')
  const url = new URL(body.data.imageContent[0].url)
  const answer = await fetch(copy.url + url.pathname + url.search)
  assert.equal(answer.status, 404)
})
