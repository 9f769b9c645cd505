import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cookieName, readCookie, setCookie } from '#auth/cookies.ts'

test('over https the cookie is bound to the host and to TLS', () => {
  const name = cookieName('session', 'https://a.example')
  assert.equal(
    setCookie(name, 'v', { maxAgeSeconds: 5 }),
    '__Host-session=v; Path=/; Max-Age=5; HttpOnly; Secure; SameSite=Lax',
  )
})

test('over plain http the cookie has its plain name and no Secure', () => {
  const name = cookieName('session', 'http://127.0.0.1:8787')
  assert.equal(
    setCookie(name, 'v', { maxAgeSeconds: 5 }),
    'session=v; Path=/; Max-Age=5; HttpOnly; SameSite=Lax',
  )
})

test('a cookie is found among others by its exact name', () => {
  const header = 'a=1; xsession=2; session=3=3; session=4; sessions=5; broken'
  assert.equal(readCookie(header, 'session'), '3=3')
  assert.equal(readCookie(header, 'broken'), null)
  assert.equal(readCookie(header, '__Host-session'), null)
  assert.equal(readCookie(undefined, 'session'), null)
})
