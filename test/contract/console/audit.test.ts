import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { consolePath } from '../../support/console.ts'
import { type Body, P } from '../../support/server.ts'
import { addWorkflow, at, type Console, dataOf, onBothDatabases, refusedAs } from './setting.ts'

onBothDatabases('the audit log', suite)

function suite(on: Console) {
  const list = async (query = ''): Promise<Body[]> =>
    (await dataOf(on.owner, `/audit?size=200${query}`)).items
  const newest = async () => (await list())[0]
  const put = (path: string, method: string, json: object) =>
    dataOf(on.owner, path, { method, json })

  test('its first entries are the new account and signing in, with who and from where', async () => {
    const entries = await list()
    // Both are of one transaction, and may be of one millisecond.
    const began = entries.slice(-2)
    assert.deepEqual(began.map(({ action }) => action).sort(), ['account.created', 'sign-in'])
    const [first] = began
    assert.equal(first.ipAddress, '127.0.0.1')
    assert.deepEqual([first.actor.kind, first.actor.name], ['user', on.owner.email])
    assert.ok(Date.parse(first.at) <= Date.now())
  })

  const content = { kind: 'bearer', secret: 'a-secret-token', hosts: ['api.example.com'] }
  const changes: [action: string, target: string, make: () => Promise<unknown>][] = [
    ['key.created', 'deploy', () => put('/api-keys', 'POST', { name: 'deploy' })],
    [
      'credential.created',
      'crm: bearer for api.example.com',
      () => put('/credentials', 'POST', { name: 'crm', ...content }),
    ],
    [
      'credential.replaced',
      'crm: bearer for api.example.com',
      () => put('/credentials/crm', 'PUT', content),
    ],
    ['credential.deleted', 'crm', () => dataOf(on.owner, '/credentials/crm', { method: 'DELETE' })],
    [
      'webhook-secret.rotated',
      'the previous one stays valid for 24 hours',
      () => dataOf(on.owner, '/webhook-secret/rotate', { method: 'POST' }),
    ],
    [
      'account.changed',
      'name Workshop, spend limit 20 USD',
      () => put('/account', 'PUT', { name: 'Workshop', spendLimit: 20 }),
    ],
    [
      'invitation.created',
      'new@example.com editor',
      () => put('/invitations', 'POST', { email: 'new@example.com', role: 'editor' }),
    ],
  ]
  for (const [action, target, make] of changes) {
    test(`${action} is recorded once, and its secret is not`, async () => {
      const before = (await list()).length
      await make()
      const entries = await list()
      assert.equal(entries.length, before + 1)
      assert.deepEqual([entries[0].action, entries[0].target], [action, target])
      assert.equal(entries[0].actor.name, on.owner.email)
      assert.doesNotMatch(JSON.stringify(entries), /a-secret-token|whsec_|sk_/)
    })
  }

  test('changing a key says what was changed, and revoking one names it', async () => {
    const { items } = await dataOf(on.owner, '/api-keys')
    const { id, scopes } = items.find((key: Body) => key.name === 'deploy')
    const recorded = async () => [(await newest()).action, (await newest()).target]
    const limits = { spendPerMonth: 5 }
    const expiresAt = '2099-01-01T00:00:00.000Z'
    const json = { name: 'deployed', scopes: ['runs:read'], limits, expiresAt }
    await put(`/api-keys/${id}`, 'PUT', json)
    const said = [
      'name deploy -> deployed',
      ...(scopes.includes('runs:read') ? [] : ['+runs:read']),
      ...scopes.filter((scope: string) => scope !== 'runs:read').map((s: string) => `-${s}`),
      'spendPerMonth none -> 5',
      `expires never -> ${expiresAt}`,
    ]
    assert.deepEqual(await recorded(), ['key.changed', `deploy (${id}): ${said.join(', ')}`])
    await dataOf(on.owner, `/api-keys/${id}`, { method: 'DELETE' })
    assert.deepEqual(await recorded(), ['key.revoked', `deployed (${id})`])
  })

  test('workflows are recorded too, with the key that changed them', async () => {
    const data = { nodes: [], connections: [] }
    const id = await addWorkflow(on, data, 'Orders')
    const path = `${P}/workflows/${id}`
    await on.api({ method: 'PUT', path, json: { name: 'Invoices' } })
    await on.api({ method: 'DELETE', path })
    const [deleted, changed, created] = await list()
    assert.deepEqual(
      [created, changed, deleted].map(({ action, target }) => [action, target]),
      [
        ['workflow.created', `${id} Orders`],
        ['workflow.changed', `${id} Invoices`],
        ['workflow.deleted', `${id} Invoices`],
      ],
    )
    assert.deepEqual([created.actor.kind, created.actor.name], ['key', 'builder'])
    assert.equal(created.ipAddress, '127.0.0.1')
  })

  test('what was refused, or changed nothing, leaves no entry', async () => {
    const before = (await list()).length
    const id = '00000000-0000-7000-8000-000000000000'
    refusedAs(await at(on.owner, `/api-keys/${id}`, { method: 'DELETE' }), 404, 'RECORD_NOT_FOUND')
    refusedAs(await at(on.owner, '/credentials/no', { method: 'DELETE' }), 404, 'RECORD_NOT_FOUND')
    await on.api({ method: 'DELETE', path: `${P}/workflows/4000000000` })
    assert.equal((await list()).length, before)
  })

  test('a wrong password is recorded, but not every one of many', async () => {
    const sign = (password: string) =>
      on.server.call({
        method: 'POST',
        path: `${consolePath}/sign-in`,
        key: null,
        headers: { origin: on.server.url },
        json: { email: on.owner.email, password },
      })
    const guesses = await Promise.all(Array.from({ length: 4 }, () => sign('not the password')))
    for (const guess of guesses) refusedAs(guess, 401, 'INVALID_CREDENTIAL')
    // Nobody waits for it, so that the answer takes as long as for an unknown e-mail.
    while ((await list('&action=sign-in.failed')).length === 0) await pause(20)
    assert.equal((await list('&action=sign-in.failed')).length, 1)
  })

  test('it is read in pages, filtered, by owners of the account only', async () => {
    const all = await list()
    const paged: Body[] = []
    let next: string | null = ''
    while (next !== null) {
      const page: Body = await dataOf(on.owner, `/audit?size=4${next && `&cursor=${next}`}`)
      paged.push(...page.items)
      next = page.next
    }
    assert.deepEqual(paged, all)
    const { id } = all.find(({ actor }) => actor.kind === 'key').actor
    const byKey = await list(`&actorId=${id}`)
    assert.ok(byKey.length > 0 && byKey.every(({ actor }) => actor.id === id))
    assert.deepEqual(await list('&to=2020-01-01T00:00:00Z'), [])
    assert.equal((await list('&from=2020-01-01T00:00:00Z')).length, all.length)
    const theirs = (await dataOf(on.stranger, '/audit')).items
    assert.deepEqual(theirs.map(({ action }: Body) => action).sort(), [
      'account.created',
      'sign-in',
    ])
  })

  test('an export is text for spreadsheets, and is recorded itself', async () => {
    await put('/api-keys', 'POST', { name: '=1+1,"x"' })
    const { csv, count } = await put('/audit/export', 'POST', { action: 'key.created' })
    const [head, first, ...others] = csv.split('\r\n')
    assert.equal(others.length, count)
    assert.equal(head, 'at,actorKind,actorId,actor,action,target,ipAddress')
    assert.ok(first?.includes(`key.created,"'=1+1,""x""",127.0.0.1`), first)
    assert.equal((await newest()).action, 'audit.exported')
  })

  test('signing out is recorded', async () => {
    await at(on.stranger, '/sign-out', { method: 'POST' })
    const key = await on.owner.newKey({ scopes: ['developer'] })
    const { body } = await on.server.call({ path: `${consolePath}/audit?size=1`, key })
    assert.equal(body.data.items.length, 1)
  })
}
