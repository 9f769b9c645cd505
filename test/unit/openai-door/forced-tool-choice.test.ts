import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkCapabilities } from '#operations/model-choice.ts'
import { builtinModels } from '#providers/builtin-models.ts'

test('a function may be forced on a model only if its vendor accepts that', () => {
  const refusing = ['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-fable-5-1']
  for (const { id, kind, capabilities } of builtinModels) {
    if (kind === 'IMAGE' || kind === 'VIDEO') continue
    const isRefused = refusing.some((name) => id === `anthropic/${name}`)
    for (const toolChoice of [{ name: 'weather' }, 'required'] as const) {
      const check = () => checkCapabilities(capabilities, { toolChoice })
      if (!isRefused) check()
      else assert.throws(check, { code: 'UNSUPPORTED_PARAMETER', message: /tool_choice/ }, id)
    }
    for (const toolChoice of ['auto', 'none'] as const)
      checkCapabilities(capabilities, { toolChoice })
  }
})
