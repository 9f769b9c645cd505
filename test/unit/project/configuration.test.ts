import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, cidrMatcher, readConfig, variables } from '../../../src/config.ts'

const refused = (env: Record<string, string>, words: RegExp) =>
  assert.throws(
    () => readConfig(env),
    (error) => error instanceof ConfigError && words.test(error.message),
  )

test('nothing set is a working configuration', () => {
  const config = readConfig({})
  assert.equal(config.PORT, 8787)
  assert.equal(config.HOST, '127.0.0.1')
  assert.equal(config.ROLE, 'all')
})

test('a bad value is named, with what it should be', () => {
  refused({ PORT: 'eighty' }, /PORT must be a whole number/)
  refused({ ROLE: 'boss' }, /ROLE must be one of all, api, worker/)
  refused({ BASE_URL: 'ftp://x' }, /BASE_URL must be an http/)
  refused({ DATABASE_URL: 'mysql://x' }, /DATABASE_URL must start with postgres/)
  refused({ OUTBOUND_ALLOW: '10.0.0.0/33' }, /OUTBOUND_ALLOW .*prefix length/)
  refused({ SECRET_KEY: 'short' }, /SECRET_KEY must be base64 of 32 bytes/)
  refused({ LEASE_SECONDS: '1' }, /LEASE_SECONDS must be a whole number from 2 to 86400/)
  refused({ PORT: '70000' }, /PORT must be a whole number from 0 to 65535/)
  refused({ METRICS_LISTEN: '127.0.0.1:70000' }, /METRICS_LISTEN must look like/)
  refused({ SPEND_LIMIT: '999999999999999' }, /SPEND_LIMIT must be .* to 1000000000/)
})

test('an origin that no browser sends is refused, because it would allow nobody', () => {
  const good = 'https://app.example, http://127.0.0.1:5173, chrome-extension://abcdef, null'
  assert.equal(readConfig({ ALLOWED_ORIGINS: good }).ALLOWED_ORIGINS.length, 4)
  for (const bad of ['https://app.example/', 'app.example', '*', 'https://App.example', 'a://b/c'])
    refused({ ALLOWED_ORIGINS: `https://app.example,${bad}` }, /ALLOWED_ORIGINS has "[^"]+", which/)
})

test('OpenID needs all of its settings, and a part of them is no sign-in without it', () => {
  const oidc = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'a', OIDC_CLIENT_SECRET: 'b' }
  assert.equal(readConfig(oidc).OIDC_ISSUER, 'https://id.example')
  refused({ ...oidc, OIDC_ISSUER: '' }, /OIDC_ISSUER must be set/)
  refused({ OIDC_ISSUER: 'https://id.example' }, /OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be/)
})

test('an address to listen on may be of either family', () => {
  const listen = (METRICS_LISTEN: string) => readConfig({ METRICS_LISTEN }).METRICS_LISTEN
  assert.deepEqual(listen('127.0.0.1:9464'), { host: '127.0.0.1', port: 9464 })
  assert.deepEqual(listen('[::1]:9464'), { host: '::1', port: 9464 })
  assert.equal(listen(''), null)
})

test('every time-out has an upper bound, and all of them are times a clock can count', () => {
  const timeouts = Object.keys(variables).filter((name) => name.endsWith('_SECONDS'))
  assert.equal(timeouts.length, 17)
  for (const name of [...timeouts, 'RETENTION_DAYS']) {
    refused({ [name]: '999999999999999' }, new RegExp(`${name} must be a whole number from`))
  }
  // Work may take longer than the 2^31 ms a timer holds.
  assert.equal(
    readConfig({ TASK_VIDEO_TIMEOUT_SECONDS: '5000000' }).TASK_VIDEO_TIMEOUT_SECONDS,
    5e6,
  )
})

test('a stream may always take as long as a provider may be silent', () => {
  const { CHAT_TOTAL_SECONDS } = readConfig({ CHAT_TIMEOUT_SECONDS: '3600' })
  assert.equal(CHAT_TOTAL_SECONDS, 3600)
  assert.equal(readConfig({}).CHAT_TOTAL_SECONDS, 1800)
})

test('several bad values are all named at once', () => {
  refused({ PORT: 'x', ROLE: 'y' }, /PORT[\s\S]*ROLE/)
})

test('a secret is never repeated in an error', () => {
  assert.throws(
    () => readConfig({ SECRET_KEY: 'hunter2' }),
    (error: Error) => !error.message.includes('hunter2'),
  )
})

test('separate roles need a database that several processes can share', () => {
  refused({ ROLE: 'worker' }, /DATABASE_URL/)
})

test('addresses match their ranges, in both families', () => {
  const matches = cidrMatcher(
    readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::/32, 192.0.2.7' }).TRUSTED_PROXIES,
  )
  assert.ok(matches('10.1.2.3') && matches('2001:db8::1') && matches('192.0.2.7'))
  assert.ok(!matches('11.0.0.1') && !matches('2001:db9::1') && !matches('192.0.2.8'))
})
