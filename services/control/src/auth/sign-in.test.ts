import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { describeBrowser } from './sign-in.ts'

const mozilla = 'Mozilla/5.0'
const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)'

test('a browser gets its usual name', async () => {
  for (const [userAgent, expected] of [
    [`${mozilla} (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0`, 'Firefox on Linux'],
    [`${mozilla} (Windows NT 10.0; Win64; x64) ${webKit} Chrome/142.0.0.0 Safari/537.36`, 'Chrome on Windows'],
    [`${mozilla} (Windows NT 10.0) ${webKit} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`, 'Edge on Windows'],
    [`${mozilla} (X11; CrOS x86_64 14541.0.0) ${webKit} Chrome/142.0.0.0 Safari/537.36`, 'Chrome on ChromeOS'],
    [`${mozilla} (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Version/26.0 Safari/605.1.15`, 'Safari on macOS'],
    [`${mozilla} (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${webKit} Version/26.0 Safari/604.1`, 'Safari on iPhone'],
    [`${mozilla} (iPad; CPU OS 18_6 like Mac OS X) ${webKit} CriOS/142.0 Safari/604.1`, 'Chrome on iPad'],
    [
      `${mozilla} (Linux; Android 10; K) ${webKit} SamsungBrowser/29.0 Chrome/136.0 Mobile`,
      'Samsung Internet on Android'
    ],
    [`${mozilla} (X11; Linux x86_64) ${webKit} Chrome/142.0.0.0 Safari/537.36 OPR/124.0.0.0`, 'Opera on Linux'],
    [`${mozilla} (X11; Linux x86_64) ${webKit} HeadlessChrome/142.0.0.0 Safari/537.36`, 'Chrome on Linux'],
    [`${mozilla} (Windows NT 10.0)`, 'Windows'],
    ['curl/8.14.1', 'curl'],
    ['python-requests/2.32.5', 'Python'],
    ['node', 'Node.js']
  ] as const) {
    assert.equal(describeBrowser(userAgent), expected)
  }
})

test('an unknown browser has no name', async () => {
  for (const userAgent of [undefined, '', 'x', `${'x'.repeat(600)} Firefox/1 Linux`]) {
    assert.equal(describeBrowser(userAgent), null)
  }
})

test('the name contains no text from the header', async () => {
  const words = fc.constantFrom('Firefox/', 'Windows', 'Chrome/', 'iPad', '<img src=x>', '\u202e', '\n', ' ', '; ')
  fc.assert(
    fc.property(fc.array(fc.oneof(words, fc.string())), (parts) => {
      assert.match(describeBrowser(parts.join('')) ?? '', /^[A-Za-z.]* ?[A-Za-z.]*(?: on [A-Za-z]+)?$/)
    })
  )
})
