import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { canConnect } from '#graph/node/values.ts'
import { palette } from '#graph/types/palette.ts'
import { nodeTypes } from '#graph/types/table.ts'

const icons = new URL('../../../node_modules/lucide-react/dist/esm/icons/', import.meta.url)

test('every node type has a name, help and an icon that exists', () => {
  for (const { type, label, help, icon } of palette.items) {
    assert.ok(label !== '' && help !== '', type)
    assert.ok(existsSync(new URL(`${icon}.mjs`, icons)), `${type}: ${icon}`)
  }
})

test('the settings of every node type are a JSON Schema in which each has a title', () => {
  const ajv = new Ajv2020({ strict: true })
  for (const { type, config, initial } of palette.items) {
    const { properties, required } = config as { properties: object; required?: string[] }
    ajv.compile(config)
    for (const [name, setting] of Object.entries(properties)) {
      assert.ok(setting.title, `${type}.${name}`)
    }
    for (const [name, value] of Object.entries(initial)) {
      assert.ok(ajv.validate((properties as Record<string, object>)[name] ?? false, value), type)
    }
    assert.ok((required ?? []).length <= Object.keys(properties).length)
  }
})

test('only the settings a type names change its ports', () => {
  const anything = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
  for (const nodeType of nodeTypes) {
    const named = nodeType.portsDependOn ?? []
    const others = Object.keys(nodeType.config.properties).filter((name) => !named.includes(name))
    const initial = nodeType.canvas.initial ?? {}
    const before = nodeType.ports(initial, () => undefined)
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('other', ...others), anything), (changed) => {
        assert.deepEqual(
          nodeType.ports({ ...initial, ...changed }, () => undefined),
          before,
        )
      }),
      { numRuns: 20 },
    )
  }
})

test('what a port accepts is what may be connected to it', () => {
  for (const to of palette.portTypes) {
    for (const from of palette.portTypes) {
      assert.equal(palette.accepts[to].includes(from), canConnect(from, to), `${from} to ${to}`)
    }
  }
})
