import assert from 'node:assert/strict'
import { test } from 'tap'
import { renderMarkdown } from './markdown.ts'

const render = (text: string, level?: number) => String(renderMarkdown(text, level))

test('headings begin at the level that the page needs, and keep their order', async () => {
  assert.equal(render('## One\n\n### Two\n\n## Three'), '<h2>One</h2>\n<h3>Two</h3>\n<h2>Three</h2>')
  assert.equal(render('# One\n\n## Two', 4), '<h4>One</h4>\n<h5>Two</h5>')
  assert.equal(render('Text'), '<p>Text</p>')
  // The library adds a heading of its own to footnotes.
  assert.match(render('Text[^1]\n\n[^1]: Note', 3), /<h3[^>]*>Footnotes<\/h3>/)
})

test('tables and links are rendered, and HTML and dangerous addresses are not', async () => {
  assert.match(render('| a |\n| --- |\n| b |'), /<table tabindex="0">.*<td>b<\/td>/s)
  assert.match(render('[x](https://example.com/?a=1&b=2)'), /<a href="https:\/\/example\.com\/\?a=1&amp;b=2">x<\/a>/)
  const hostile = render('<b>x</b> `<i>` [x](javascript:alert(1)) [y](vbscript:z) <h1>t</h1> a\u202eb')
  assert.doesNotMatch(hostile, /<b>|<i>|javascript:|vbscript:|<h1>|\u202e/)
})
