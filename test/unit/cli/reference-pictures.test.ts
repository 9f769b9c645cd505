import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { withPictures } from '../../../src/cli/arguments/reference-pictures.ts'

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atelier-pictures-'))
  await writeFile(join(folder, 'a.JPG'), 'bytes')
  await writeFile(join(folder, 'large.png'), Buffer.alloc(7 * 1024 * 1024 + 1))
})
after(() => rm(folder, { recursive: true, force: true }))

test('a prompt without pictures stays text', async () => {
  assert.equal(await withPictures('hello', []), 'hello')
})

test('files become data URLs, addresses stay, in the order given', async () => {
  const urls = ['https://example.com/b.png', 'data:image/png;base64,AA==']
  const [file = '', ...rest] = [join(folder, 'a.JPG'), ...urls]
  const image = (url: string) => ({ type: 'image_url', image_url: { url } })
  assert.deepEqual(await withPictures('hello', [file, ...rest]), [
    { type: 'text', text: 'hello' },
    image(`data:image/jpeg;base64,${Buffer.from('bytes').toString('base64')}`),
    ...urls.map(image),
  ])
})

for (const [name, says] of [
  ['notes.txt', /neither a URL nor a picture file/],
  ['missing.png', /cannot be read/],
  ['large.png', /larger than 7 MiB/],
] as const) {
  test(`${name} is refused before anything is sent`, async () => {
    await assert.rejects(withPictures('hello', [join(folder, name)]), says)
  })
}
