import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { consoleOperations } from '#api/console/registry.ts'
import { operations } from '#api/public/registry.ts'
import { Failure } from '#core/errors.ts'
import { checksOf } from '#graph/node/inspect-config.ts'
import { nodeTypes } from '#graph/types/table.ts'
import { compileInput } from '#http/request-input.ts'
import { ModelsFile } from '#providers/models-file.ts'

// They are compiled with the first request, so a start does not show this.
test('the schemas of every operation can be compiled', () => {
  for (const operation of [...operations, ...consoleOperations]) {
    const read = compileInput(operation)
    try {
      read({ params: {}, query: {}, body: undefined, bodyBytes: 0 })
    } catch (error) {
      assert.ok(error instanceof Failure, `${operation.id}: ${error}`)
    }
  }
})

test('the settings of every node type can be compiled', () => {
  for (const type of nodeTypes) assert.doesNotThrow(() => checksOf(type), type.type)
})

test('every schema that the server compiles is valid JSON Schema', () => {
  const ajv = new Ajv2020({ strict: false })
  const assertValid = (schema: object | undefined, name: string) => {
    if (schema) assert.ok(ajv.validateSchema(schema), `${name}: ${ajv.errorsText()}`)
  }
  for (const { id, params, query, body, tool } of [...operations, ...consoleOperations]) {
    for (const schema of [params, query, body, tool?.arguments]) assertValid(schema, id)
  }
  for (const { type, config } of nodeTypes) assertValid(config, type)
  assertValid(ModelsFile, 'MODELS_FILE')
})
