import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createGateway } from '#outbound/gateway.ts'

const refused = (reason: string) => ({ name: 'OutboundRefused', reason })

it('a name at public addresses is accepted', async () => {
  const gateway = createGateway({ allow: [], resolve: async () => ['8.8.8.8', '2606:4700::1'] })
  assert.equal((await gateway.check('https://example.com/hook')).href, 'https://example.com/hook')
})

it('a name that does not resolve now is accepted', async () => {
  const missing = createGateway({
    allow: [],
    resolve: () => Promise.reject(new Error('ENOTFOUND')),
  })
  assert.equal((await missing.check('https://not-yet.example.com/')).host, 'not-yet.example.com')
  const empty = createGateway({ allow: [], resolve: async () => [] })
  assert.equal((await empty.check('https://not-yet.example.com/')).host, 'not-yet.example.com')
})

it('a resolver that does not answer delays the submission by two seconds at most', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const gateway = createGateway({ allow: [], resolve: () => new Promise(() => {}) })
  const checked = gateway.check('https://slow.example.com/')
  t.mock.timers.tick(2_000)
  assert.equal((await checked).host, 'slow.example.com')
})

it('a literal address is judged without asking the resolver', async () => {
  const gateway = createGateway({ allow: [], resolve: () => assert.fail('asked') })
  assert.equal((await gateway.check('https://8.8.8.8/')).host, '8.8.8.8')
  await assert.rejects(gateway.check('https://10.0.0.1/'), refused('ADDRESS'))
})

it('a local name is refused without asking the resolver', async () => {
  const gateway = createGateway({ allow: [], resolve: () => assert.fail('asked') })
  await assert.rejects(gateway.check('http://vault.internal/'), refused('HOST'))
})

it('localhost is accepted where its addresses are allowed', async () => {
  const resolve = async () => ['127.0.0.1']
  const open = createGateway({ allow: ['127.0.0.1/32'], resolve })
  assert.equal((await open.check('http://localhost:8080/')).host, 'localhost:8080')
  const other = createGateway({ allow: ['10.0.0.0/8'], resolve })
  await assert.rejects(other.check('http://localhost:8080/'), refused('HOST'))
})

it('a local name that does not resolve stays refused although some range is allowed', async () => {
  const gateway = createGateway({ allow: ['127.0.0.1/32'], resolve: async () => [] })
  await assert.rejects(gateway.check('http://vault.internal/'), refused('HOST'))
})

it('an allowed range does not open other private addresses of a name', async () => {
  const gateway = createGateway({
    allow: ['127.0.0.1/32'],
    resolve: async () => ['127.0.0.1', '10.0.0.1'],
  })
  await assert.rejects(gateway.check('http://example.com/'), refused('ADDRESS'))
})
