import assert from 'node:assert/strict'
import { test } from 'node:test'
import { developerOperations } from '#developer/registry.ts'

/** Unsafe operations that the guard does not record, and why. */
const exempt: Record<string, string> = {
  signIn: 'recorded with the session it begins',
  signUp: 'recorded with the session it begins',
  setUp: 'recorded with the session it begins',
  acceptInvitation: 'recorded with the session it begins',
  recover: 'recorded with the session it begins',
  signOut: 'recorded with the session it ends',
  exportAudit: 'records itself',
  startOidcWithLink: 'changes nothing here: the browser leaves for the OpenID provider',
  showInvitation: 'only reads, by POST because the token must not be in an address',
  checkWorkflow: 'only reads',
  mintToken: 'tokens live for 15 minutes, and the console makes one for every page',
  redeliverWebhook: 'every attempt is recorded with its delivery',
  testWebhook: 'stores nothing',
  putDraft: 'work in progress, stored every second while somebody edits',
  deleteDraft: 'work in progress',
  noteWorkflowVersion: 'a remark that changes nothing that runs',
  createUpload: 'an input of runs, as those of the public API',
}

test('every operation that changes something is in the audit log, or is named here', () => {
  for (const { id, method, audit } of developerOperations) {
    if (method === 'GET') assert.equal(audit, undefined, id)
    else assert.equal(audit !== undefined, exempt[id] === undefined, `${id} is recorded or exempt`)
  }
  const ids = new Set(developerOperations.map(({ id }) => id))
  for (const id of Object.keys(exempt)) assert.ok(ids.has(id), `${id} exists`)
})
