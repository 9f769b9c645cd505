// Every operation of the console API that changes something is recorded, and every entry names
// what was changed.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { consoleOperations } from '#api/console/registry.ts'
import { base32, totpCode, totpStep } from '#auth/totp.ts'
import { auditActions } from '#core/audit-actions.ts'
import { databases } from '../../support/databases.ts'
import { openApps } from './apps.ts'
import { migrations } from './setting.ts'
import { newAddress, newEmail, openTeam, password, tokenOf } from './team.ts'

test('every operation that changes something has an entry, or says why not', () => {
  const changing = consoleOperations.filter(
    ({ method, isReadOnly }) => method !== 'GET' && !isReadOnly,
  )
  assert.deepEqual(
    changing.filter(({ audit }) => audit === undefined).map(({ id }) => id),
    [],
  )
  const unrecorded = changing.filter(({ audit }) => audit && 'none' in audit)
  assert.deepEqual(unrecorded.map(({ id }) => id).sort(), [
    'deleteDraft',
    'listenTrigger',
    'putDraft',
    'readNotices',
    'startOidcWithLink',
  ])
})

test('reading the webhook secret is recorded, although it is a GET', () => {
  const operation = consoleOperations.find(({ id }) => id === 'getWebhookSecret')
  assert.deepEqual(operation?.audit, { byItself: ['webhook-secret.read'] })
})

/** Written by other parts of the server: the machine's commands, the API, the engine. */
const elsewhere = [
  /^workflow\./,
  /^secret-key\./,
  /^account\.(set-up|switched)$/,
  /^version\./,
  /^stand-in-price\./,
  /^route\./,
  /^models\.added$/,
  /^call\.settled$/,
  /^media\./,
  /^webhook\.redelivered$/,
  /^wait\./,
  /^trigger\./,
]

for (const { name, open } of databases) {
  describe(`entries of the audit log on ${name}`, () => {
    test('each names what was changed and how, whatever was left out', async () => {
      await using opened = await open({ migrations })
      const team = await openTeam(opened.db, {
        checkCallbackUrl: async (url: string) => url,
        sendWebhook: async () => ({
          outcome: { statusCode: 200, error: null, body: null },
          ...{ startedAtMs: 0, endedAtMs: 1 },
        }),
      })
      const { owner, clock } = team
      const member = await team.join('editor')
      const params = { userId: member.userId }
      const change = (body: object) => owner.data('updateMember', { params, body })
      for (const body of [{}, { role: 'viewer' }, { disabled: true }, { disabled: false }]) {
        await change(body)
      }
      const { id: invitationId } = await team.invite({ email: newEmail(), role: 'viewer' })
      await owner.data('withdrawInvitation', { params: { invitationId } })
      const { link } = await owner.data<{ link: string }>('createRecoveryLink', {
        body: { userId: member.userId },
      })
      const recovered = { token: tokenOf(link), password: 'another good password' }
      await team.browser().data('recover', { body: recovered })
      await signInWrongly(team, member.email)
      await useSecondStep(team)
      await owner.data('resetMemberTwoStep', { params })
      await useKeysAndApps(team)
      await owner.data('removeMember', { params })
      await owner.data('updateAccount', { body: { name: 'Workshop', spendLimit: 20 } })
      await changeBudgets(team)
      await owner.data('getWebhookSecret')
      await owner.data('rotateWebhookSecret')
      await owner.data('testWebhook', { body: { url: 'https://a.example/x?secret=1' } })
      await owner.data('mintToken', {})
      await team.browser().data('signIn', { body: { email: team.ownerEmail, password } })
      await owner.data('endOtherSessions')
      await owner.data('exportAudit', { body: {} })
      const again = { currentPassword: password, newPassword: `${password}!`, revokeKeys: true }
      clock.at += 1
      await owner.data('changePassword', { body: again })
      await owner.data('signOut')
      await owner.data('signIn', { body: { email: team.ownerEmail, password: `${password}!` } })
      const { items } = await owner.data<{ items: { action: string; target: string }[] }>(
        'listAudit',
        { query: { size: '200' } },
      )
      for (const { action, target } of items) {
        assert.ok(target?.trim(), action)
        assert.doesNotMatch(target, /undefined|null|NaN|\[object|secret=1/, action)
      }
      const seen = new Set(items.map(({ action }) => action))
      const unseen = auditActions.filter((action) => !seen.has(action))
      assert.deepEqual(
        unseen.filter((action) => !elsewhere.some((pattern) => pattern.test(action))),
        [],
      )
      const changes = items.filter(({ action }) => action === 'member.changed')
      assert.deepEqual(
        changes.map(({ target }) => target).sort(),
        ['editor', 'editor -> viewer', 'viewer, disabled', 'viewer, enabled'].map(
          (what) => `${member.email}: ${what}`,
        ),
      )
    })
  })
}

type Team = Awaited<ReturnType<typeof openTeam>>

async function signInWrongly({ browser, owner }: Team, email: string) {
  const body = { email, password: 'not the password' }
  for (let n = 0; n < 10; n++) {
    await browser().refusal('signIn', { body, ipAddress: newAddress() })
  }
  const actions = async () =>
    (await owner.data<{ items: { action: string }[] }>('listAudit')).items.map((i) => i.action)
  // Nobody waits for it, so that the answer takes as long as for an unknown e-mail.
  for (const action of ['sign-in.failed', 'sign-in.limited']) {
    while (!(await actions()).includes(action)) await new Promise(setImmediate)
  }
}

async function useSecondStep({ owner, clock }: Team) {
  const { secret } = await owner.data<{ secret: string }>('startTwoStep', { body: { password } })
  const code = () => {
    clock.at += 30_000
    return totpCode(fromBase32(secret), totpStep(clock.at))
  }
  await owner.data('confirmTwoStep', { body: { code: code() } })
  await owner.data('renewRecoveryCodes', { body: { password, code: code() } })
  await owner.data('endTwoStep', { body: { password, code: code() } })
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
function fromBase32(text: string): Uint8Array {
  const bits = [...text].map((c) => digits.indexOf(c).toString(2).padStart(5, '0')).join('')
  const bytes = Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
  assert.equal(base32(bytes), text)
  return bytes
}

async function changeBudgets({ owner, clock }: Team) {
  const budget = { scope: 'tag', target: 'nightly', period: 'day' }
  await owner.data('setBudget', { body: { ...budget, limit: 5 } })
  const until = new Date(clock.at + 3_600_000).toISOString()
  await owner.data('raiseBudget', { body: { ...budget, amount: 2, until } })
  await owner.data('setBudget', { body: { ...budget, limit: null } })
  const { id: target } = await owner.data<{ id: string }>('createApiKey', { body: { name: 't' } })
  for (const tag of ['nightly', null])
    await owner.data('setDefaultTag', { body: { scope: 'key', target, tag } })
  for (const url of ['https://a.example/x?secret=1', null])
    await owner.data('setAccountWebhook', { body: { url } })
}

async function useKeysAndApps({ owner, ownerId, accountId, services, clock, ...process }: Team) {
  const { id: keyId } = await owner.data<{ id: string }>('createApiKey', { body: { name: 'a' } })
  const settings = { name: 'b', scopes: ['runs:read'], limits: {}, expiresAt: null }
  await owner.data('updateApiKey', { params: { keyId }, body: settings })
  await owner.data('revokeApiKey', { params: { keyId } })
  const content = { kind: 'bearer', secret: 'abcdefgh', hosts: ['a.example'] }
  services.server = () =>
    ({ providers: [], limits: { spendPerMonth: null } }) as unknown as ReturnType<
      typeof services.server
    >
  const crm = { params: { name: 'crm' } }
  await owner.data('createCredential', { body: { name: 'crm', ...content } })
  await owner.data('replaceCredential', { ...crm, body: content })
  await owner.data('deleteCredential', crm)
  const apps = openApps(services.db, clock, process)
  const person = { accountId, userId: ownerId }
  const app = await apps.connect(person)
  await apps.refresh(app)
  clock.at += 120_000
  await assert.rejects(apps.refresh(app))
  await apps.connect(person)
  const { items } = await owner.data<{ items: { id: string }[] }>('listConnectedApps')
  await owner.data('disconnectApp', { params: { appId: items[0]?.id ?? '' } })
}
