import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consoleOperations } from '#api/console/registry.ts'

/** They only read, by POST because of what they are sent. */
const onlyRead = ['showInvitation', 'checkWorkflow', 'estimateTask', 'previewTrigger', 'tryTrigger']

test('every operation that changes something is in the audit log, or says why it is not', () => {
  for (const { id, method, audit } of consoleOperations) {
    if (method !== 'GET') assert.equal(audit === undefined, onlyRead.includes(id), id)
    if (audit && 'byItself' in audit) assert.ok(audit.byItself.length > 0, id)
    if (audit && 'none' in audit) assert.ok(audit.none.length > 0, id)
  }
})
