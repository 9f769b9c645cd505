import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { workflowIdOf, workflowToolName } from '#agents/mcp/workflow-tools.ts'

test('a name keeps only characters that every model provider accepts', () => {
  const named = (name: string) => workflowToolName({ workflowId: 7, name })
  assert.equal(named('Translate & review'), 'translate_review_7')
  assert.equal(named('  Ünïcode—Straße  '), 'unicode_stra_e_7')
  assert.equal(named('翻译'), 'workflow_7')
  assert.equal(named('svc_chat'), 'svc_chat_7')
  assert.equal(named('a'.repeat(200)), `${'a'.repeat(40)}_7`)
})

test('whatever a workflow is called, its tool has a portable name that leads back to it', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      (name, workflowId) => {
        const toolName = workflowToolName({ workflowId, name })
        assert.match(toolName, /^[a-z0-9_]{1,64}$/)
        assert.equal(workflowIdOf(toolName), workflowId)
      },
    ),
  )
})

test('other names lead nowhere', () => {
  const names = [
    'svc_chat',
    '7',
    '_7',
    'a_0',
    'a_07',
    'a_7 ',
    'A_7',
    'a-7',
    'a_9999999999999999',
    '',
  ]
  assert.deepEqual(
    names.map(workflowIdOf),
    names.map(() => null),
  )
})
