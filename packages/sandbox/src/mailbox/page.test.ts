import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { escapeHtml, htmlToText, linksOf, unescapeHtml } from './html.ts'

test('escaped text has no markup, and unescaping restores it', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const escaped = escapeHtml(text)
      return !/[<>"']/.test(escaped) && unescapeHtml(escaped) === text
    })
  )
})

test('entities are decoded, and other text stays', async () => {
  assert.equal(unescapeHtml('&amp;lt; &#43; &#x2B; &#X1f600;'), '&lt; + + 😀')
  for (const text of ['&nonsense;', '&#9999999;', '&#x110000;', '&', '&#;']) assert.equal(unescapeHtml(text), text)
})

test('the text of a mail has the visible content and its links', async () => {
  const html =
    '<head><title>x</title><style>a{}</style></head><h1>Hi\n  you</h1><p>a<br>b</p><a href="https://x.com/?a&amp;b"><b>c</b></a>'
  assert.equal(htmlToText(html), 'Hi\nyou\na\nb\nc ( https://x.com/?a&b )')
  assert.equal(htmlToText(''), '')
})

test('only http and https links are found, in order and once each', async () => {
  const html =
    '<a class="x" href="https://b.com/?a&amp;b">1</a><A HREF="http://a.com">2</A><a href="https://b.com/?a&amp;b">3</a><a href="mailto:x@y.z">4</a><a href="javascript:x">5</a>'
  assert.deepEqual(linksOf(html), ['https://b.com/?a&b', 'http://a.com'])
})
