import fc from 'fast-check'
import t from 'tap'
import { escapeHtml, htmlToText, linksOf, unescapeHtml } from './html.ts'

t.test('escaped text has no markup, and unescaping restores it', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const escaped = escapeHtml(text)
      return !/[<>"']/.test(escaped) && unescapeHtml(escaped) === text
    })
  )
})

t.test('entities are decoded, and other text stays', async (t) => {
  t.equal(unescapeHtml('&amp;lt; &#43; &#x2B; &#X1f600;'), '&lt; + + 😀')
  for (const text of ['&nonsense;', '&#9999999;', '&#x110000;', '&', '&#;']) t.equal(unescapeHtml(text), text)
})

t.test('the text of a mail is what a reader sees', async (t) => {
  const html =
    '<head><title>x</title><style>a{}</style></head><h1>Hi\n  you</h1><p>a<br>b</p><a href="https://x.com/?a&amp;b"><b>c</b></a>'
  t.equal(htmlToText(html), 'Hi\nyou\na\nb\nc ( https://x.com/?a&b )')
  t.equal(htmlToText(''), '')
})

t.test('only http and https links are found, in order and once each', async (t) => {
  const html =
    '<a class="x" href="https://b.com/?a&amp;b">1</a><A HREF="http://a.com">2</A><a href="https://b.com/?a&amp;b">3</a><a href="mailto:x@y.z">4</a><a href="javascript:x">5</a>'
  t.same(linksOf(html), ['https://b.com/?a&b', 'http://a.com'])
})
