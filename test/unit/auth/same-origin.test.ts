import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSameOrigin, type OriginHeaders } from '#auth/same-origin.ts'

const cases: [string, OriginHeaders, string, boolean][] = [
  [
    'our own page',
    { origin: 'https://a.example', 'sec-fetch-site': 'same-origin' },
    'https://a.example',
    true,
  ],
  ['our own page, older browser', { origin: 'https://a.example' }, 'https://a.example', true],
  ['base address with a path', { origin: 'https://a.example' }, 'https://a.example/base', true],
  ['browser that hides Origin', { 'sec-fetch-site': 'same-origin' }, 'https://a.example', true],
  ['localhost for 127.0.0.1', { origin: 'http://localhost:8787' }, 'http://127.0.0.1:8787', true],
  ['no browser at all', {}, 'https://a.example', false],
  [
    'another site',
    { origin: 'https://b.example', 'sec-fetch-site': 'cross-site' },
    'https://a.example',
    false,
  ],
  [
    'another site that forges nothing but Origin',
    { origin: 'https://a.example', 'sec-fetch-site': 'cross-site' },
    'https://a.example',
    false,
  ],
  [
    'a sibling',
    { origin: 'https://x.a.example', 'sec-fetch-site': 'same-site' },
    'https://a.example',
    false,
  ],
  [
    'a rebound name',
    { origin: 'http://evil.example:8787', 'sec-fetch-site': 'same-origin' },
    'http://127.0.0.1:8787',
    false,
  ],
  ['another port', { origin: 'http://localhost:9999' }, 'http://127.0.0.1:8787', false],
  ['another scheme', { origin: 'http://a.example' }, 'https://a.example', false],
  ['localhost against a public base', { origin: 'https://localhost' }, 'https://a.example', false],
  ['a sandboxed page', { origin: 'null' }, 'https://a.example', false],
  ['an origin with a path', { origin: 'https://a.example/' }, 'https://a.example', false],
  ['a typed address', { 'sec-fetch-site': 'none' }, 'https://a.example', false],
]

for (const [who, headers, baseUrl, expected] of cases) {
  test(`${who} ${expected ? 'may' : 'may not'} act for the signed-in person`, () => {
    assert.equal(isSameOrigin(headers, baseUrl), expected)
  })
}
