import assert from 'node:assert/strict'
import { test } from 'tap'
import { describePerson } from './read-team.ts'

test('a person is named, always with the address, in one short line', async () => {
  const email = 'olive@example.com'
  for (const [name, expected] of [
    ['Olive Owner', 'Olive Owner (olive@example.com)'],
    ['', email],
    [' \n\u200b', email],
    ['Olive\r\n\r\nYour password\u202e expires', 'Olive Your password expires (olive@example.com)'],
    ['Win at https://evil.example/x?y=1', 'Win at https evil. example x?y=1 (olive@example.com)'],
    ['www.evil.example', 'www. evil. example (olive@example.com)'],
    [
      'evil。example ｅｖｉｌ．ｅｘａｍｐｌｅ evil｡example',
      'evil. example evil. example evil. example (olive@example.com)'
    ],
    ['bank@evil.example mailto:x', 'bank evil. example mailto x (olive@example.com)'],
    ['192.0.2.1/login', '192. 0. 2. 1 login (olive@example.com)'],
    ['Dr. J.R.R. Tolkien', 'Dr. J. R. R. Tolkien (olive@example.com)'],
    ['x'.repeat(60), `${'x'.repeat(60)} (olive@example.com)`],
    ['🦊'.repeat(61), `${'🦊'.repeat(60)}… (olive@example.com)`],
    ['👩🏽‍💻 Olive 👨‍👩‍👧🇩🇪❤️‍🔥🏴󠁧󠁢󠁷󠁬󠁳󠁿', '👩🏽‍💻 Olive 👨‍👩‍👧🇩🇪❤️‍🔥🏴󠁧󠁢󠁷󠁬󠁳󠁿 (olive@example.com)'],
    ['👨‍👩‍👧'.repeat(61), `${'👨‍👩‍👧'.repeat(60)}… (olive@example.com)`],
    ['🇩🇪'.repeat(61), `${'🇩🇪'.repeat(60)}… (olive@example.com)`],
    ['evil\u200d.example\u{e0041}', 'evil . example (olive@example.com)']
  ] as const) {
    assert.equal(describePerson({ name, email }), expected)
  }
})
