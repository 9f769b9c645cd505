import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { unzipSync } from 'fflate'
import { packArchive } from '#agents/skills/archive.ts'
import { buildSkills, type Skill } from '#agents/skills/skill-set.ts'
import { toolList } from '#agents/tools/tool-list.ts'
import { operations } from '#api/public/registry.ts'
import { errorTable } from '#core/error-table.ts'
import { nodeTypes } from '#graph/types/table.ts'

const baseUrl = 'https://atelier.example'
const tools = toolList(operations)
const { skills, suite } = buildSkills(tools, baseUrl)
const fileOf = (skill: Skill | undefined, path: string) =>
  skill?.files.find((file) => file.path === path)?.content ?? ''
const namesIn = (archive: Uint8Array) => Object.keys(unzipSync(archive)).sort()

for (const [name, skill] of skills) {
  describe(name, () => {
    const [, head = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(skill.skillMd) ?? []

    test('has the frontmatter of the format and nothing else', () => {
      const keys = [...head.matchAll(/^(\w+):/gm)].map((match) => match[1])
      assert.deepEqual(keys, ['name', 'description', 'license', 'compatibility', 'metadata'])
      assert.equal(skill.name, name)
      assert.match(name, /^[a-z0-9]+(-[a-z0-9]+)*$/)
      assert.ok(name.length <= 64)
      assert.ok(skill.description.length > 0 && skill.description.length <= 1024)
      assert.ok(skill.compatibility.length > 0 && skill.compatibility.length <= 500)
      assert.match(skill.version, /^\d+\.\d+\.\d+$/)
    })

    test('has a body under 500 lines', () => {
      assert.ok(body.split('\n').length < 500)
    })

    test('names its server everywhere and holds no credential', () => {
      for (const { path, content } of skill.files) {
        assert.doesNotMatch(content, /\{base_url\}/, path)
        assert.doesNotMatch(content, /sk_[A-Za-z0-9]{8,}|eyJ[A-Za-z0-9_-]{10,}/, path)
      }
      assert.ok(skill.skillMd.includes(baseUrl))
      assert.match(skill.skillMd, /\$ATELIER_API_KEY/)
    })

    test('refers only to files it contains, and to every one of them', () => {
      const named = [...skill.skillMd.matchAll(/\b(?:references|scripts)\/[\w.-]+\w/g)].map(String)
      const brought = skill.files.map(({ path }) => path).filter((path) => path !== 'SKILL.md')
      assert.deepEqual([...new Set(named)].sort(), brought.sort())
    })

    test('speaks only of tools that exist and describes each in its references', () => {
      const spoken = new Set([...skill.skillMd.matchAll(/svc_\w+/g)].map(String))
      assert.deepEqual([...spoken].sort(), skill.tools.toSorted())
      for (const tool of skill.tools) {
        const { operation } = tools.find((one) => one.name === tool) ?? assert.fail(tool)
        const page = fileOf(skill, 'references/operations.md')
        assert.ok(
          page.includes(`## ${tool}\n\n\`${operation.method} /api/ai-tools/v1${operation.path}\``),
        )
      }
    })

    test('explains every error code', () => {
      const page = fileOf(skill, 'references/errors.md')
      for (const code of Object.keys(errorTable)) assert.ok(page.includes(`\`${code}\``), code)
    })

    test('is packed in one directory of its name, and at the root for installers', () => {
      const paths = skill.files.map(({ path }) => path).sort()
      assert.deepEqual(namesIn(skill.rootArchive), paths)
      assert.deepEqual(
        namesIn(skill.archive),
        paths.map((path) => `${name}/${path}`),
      )
    })
  })
}

test('the two skills together cover all 18 tools', () => {
  const covered = new Set([...skills.values()].flatMap((skill) => skill.tools))
  assert.deepEqual([...covered].sort(), tools.map((tool) => tool.name).sort())
})

test('the workflow skill describes every node type with its ports', () => {
  const page = fileOf(skills.get('service-workflows'), 'references/node-types.md')
  for (const { type, ports } of nodeTypes) {
    const section = page.split(`## ${type}\n`)[1]?.split('\n## ')[0] ?? ''
    assert.notEqual(section, '', type)
    for (const port of [...(ports({}, () => undefined)?.inputs ?? [])]) {
      assert.ok(section.includes(`\`${port.name}\`: ${port.type}`), `${type} ${port.name}`)
    }
  }
})

test('the suite holds one directory per skill', () => {
  assert.deepEqual(
    namesIn(suite),
    [...skills].flatMap(([name, { files }]) => files.map(({ path }) => `${name}/${path}`)).sort(),
  )
})

describe('an archive', () => {
  const files = [
    { path: 'b/scripts/run.mjs', content: 'x' },
    { path: 'a.md', content: 'é' },
  ]

  test('has the same bytes whatever the order, the hour and the time zone', () => {
    const zone = process.env.TZ
    try {
      const made = ['UTC', 'Asia/Tokyo', 'America/St_Johns'].map((name) => {
        process.env.TZ = name
        return Buffer.from(packArchive(files)).toString('hex')
      })
      made.push(Buffer.from(packArchive(files.toReversed())).toString('hex'))
      assert.equal(new Set(made).size, 1)
    } finally {
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
    }
  })

  test('marks scripts as executable, and holds regular files only', () => {
    const bytes = Buffer.from(packArchive(files))
    const modes: number[] = []
    for (
      let at = bytes.indexOf('PK\x01\x02');
      at !== -1;
      at = bytes.indexOf('PK\x01\x02', at + 1)
    ) {
      modes.push(bytes.readUInt32LE(at + 38) >>> 16)
    }
    assert.deepEqual(modes, [0o100644, 0o100755])
  })
})
