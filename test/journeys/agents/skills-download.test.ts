import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { strFromU8, unzipSync } from 'fflate'
import { request } from 'undici'
import { P, startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function download(url: string) {
  const answer = await request(url)
  assert.equal(answer.statusCode, 200, url)
  return { headers: answer.headers, bytes: new Uint8Array(await answer.body.arrayBuffer()) }
}

const read = async (path: string) => {
  const { status, body, text } = await server.call({ path, key: null })
  assert.equal(status, 200, text)
  return body
}

test('the catalogue leads to every archive, and its digests and sizes are true', async () => {
  const { data } = await read(`${P}/skills`)
  const names = data.items.map((item: { name: string }) => item.name)
  assert.deepEqual(names, ['service-workflows', 'service-generation'])
  for (const { downloadUrl, digest, sizeBytes } of [...data.items, data.suite]) {
    const { bytes, headers } = await download(downloadUrl)
    assert.equal(`sha256:${sha256(bytes)}`, digest)
    assert.equal(bytes.byteLength, sizeBytes)
    assert.equal(headers['content-type'], 'application/zip')
    assert.match(String(headers['content-disposition']), /^attachment; filename="[\w-]+\.zip"$/)
    assert.equal(headers['cache-control'], 'public, max-age=300')
  }
  assert.equal(data.install, `npx skills add ${server.url}`)
})

test('each manifest lists the files of its archive, byte for byte', async () => {
  const { data } = await read(`${P}/skills`)
  for (const { manifestUrl, name } of data.items) {
    const { data: manifest } = await read(manifestUrl.slice(server.url.length))
    const { bytes } = await download(manifest.downloadUrl)
    const files = Object.entries(unzipSync(bytes)).map(([path, content]) => ({
      path: path.replace(`${name}/`, ''),
      sizeBytes: content.byteLength,
      sha256: sha256(content),
    }))
    assert.deepEqual(manifest.files, files)
    const skillMd = unzipSync(bytes)[`${name}/SKILL.md`]
    assert.ok(skillMd)
    assert.equal(manifest.skillMd, strFromU8(skillMd))
    assert.ok(manifest.tools.length > 0)
    for (const tool of manifest.tools) assert.match(manifest.skillMd, new RegExp(`\\b${tool}\\b`))
  }
})

describe('an unchanged archive', () => {
  test('is not sent again to a client that has its tag, even a weak one', async () => {
    for (const path of [`${P}/skills.zip`, '/.well-known/agent-skills/service-workflows.zip']) {
      const first = await server.call({ path, key: null })
      const tag = String(first.headers.etag)
      for (const sent of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const again = await server.call({ path, key: null, headers: { 'if-none-match': sent } })
        assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', tag], sent)
      }
      const changed = await server.call({
        path,
        key: null,
        headers: { 'if-none-match': '"other"' },
      })
      assert.equal(changed.status, 200)
    }
  })

  test('announces its length to HEAD', async () => {
    const { bytes } = await download(`${server.url}${P}/skills.zip`)
    const { headers, text } = await server.call({
      method: 'HEAD',
      path: `${P}/skills.zip`,
      key: null,
    })
    assert.equal(text, '')
    assert.equal(headers['content-length'], String(bytes.byteLength))
  })
})

describe('discovery', () => {
  const index = (path: string) => `${path}/.well-known/agent-skills/index.json`
  const both = ['service-workflows', 'service-generation']

  test('lists archives with SKILL.md at the root, and true digests', async () => {
    const { $schema, skills } = await read(index(''))
    assert.equal($schema, 'https://schemas.agentskills.io/discovery/0.2.0/schema.json')
    for (const { name, type, description, url, digest } of skills) {
      assert.equal(type, 'archive')
      assert.equal(url, `${server.url}/.well-known/agent-skills/${name}.zip`)
      const { bytes } = await download(url)
      assert.equal(`sha256:${sha256(bytes)}`, digest)
      const skillMd = unzipSync(bytes)['SKILL.md']
      assert.ok(skillMd)
      assert.ok(strFromU8(skillMd).includes(JSON.stringify(description)))
    }
  })

  test('below each skill path names the skill of that path only', async () => {
    const expected: [string, string[]][] = [
      ['', both],
      [`${P}/skills`, both],
      [`${P}/skills.zip`, both],
      ...both.flatMap((name): [string, string[]][] => [
        [`${P}/skills/${name}`, [name]],
        [`${P}/skills/${name}.zip`, [name]],
      ]),
    ]
    for (const [path, names] of expected) {
      const { skills } = await read(index(path))
      assert.deepEqual(
        skills.map((skill: { name: string }) => skill.name),
        names,
        path,
      )
    }
  })

  test('is open to pages of every origin, and takes no other method', async () => {
    const path = index('')
    const { headers } = await server.call({
      path,
      key: null,
      headers: { origin: 'https://elsewhere.example' },
    })
    assert.equal(headers['access-control-allow-origin'], '*')
    const posted = await server.call({ method: 'POST', path, key: null, json: {} })
    assert.equal(posted.status, 405)
    assert.equal(posted.headers.allow, 'GET, HEAD')
  })

  test('knows no other skill', async () => {
    for (const path of [
      '/.well-known/agent-skills/another.zip',
      index(`${P}/skills/another`),
      `${P}/skills/another`,
    ]) {
      assert.equal((await server.call({ path, key: null })).status, 404, path)
    }
  })
})

test('two servers with the same address would hand out the same bytes', async () => {
  await using other = await startServer({ BASE_URL: server.url })
  const mine = await read(`${P}/skills`)
  const theirs = await other.call({ path: `${P}/skills`, key: null })
  assert.deepEqual(theirs.body.data, mine.data)
})
