import assert from 'node:assert/strict'
import { test } from 'tap'
import { html, trustHtml } from './html.ts'

test('every interpolated text is escaped, in elements and in attributes', async () => {
  const hostile = `<img onerror="x" src='y'>&</script>`
  const escaped = '&#60;img onerror=&#34;x&#34; src=&#39;y&#39;&#62;&#38;&#60;/script&#62;'
  assert.equal(String(html`<p title="${hostile}">${hostile}</p>`), `<p title="${escaped}">${escaped}</p>`)
})

test('HTML of a template is not escaped again, also in lists', async () => {
  const rows = ['a<', 'b'].map((name) => html`<li>${name}</li>`)
  assert.equal(String(html`<ul>${rows}</ul>`), '<ul><li>a&#60;</li><li>b</li></ul>')
  assert.equal(String(html`${trustHtml('<b>1</b>')}`), '<b>1</b>')
})

test('nothing is written for null, undefined and false, and 0 is a number', async () => {
  assert.equal(String(html`${null}${undefined}${false}${[]}${0}`), '0')
})

test('characters that turn the direction of the text are removed', async () => {
  assert.equal(String(html`${'a\u202eb\u2066c\u200f'}`), 'abc')
})
