import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { createSearch, type Found } from './search-docs.ts'
import { countTypos, maxTypos } from './typos.ts'

const found = (title: string, more: Partial<Found> = {}): Found => ({
  ...{ title, group: 'Guide', href: `/${title}`, text: '' },
  ...more
})
const letters = 'abcdefghijklmnopqrstuvwxyz'.split('')
const words = (min: number) => fc.string({ unit: fc.constantFrom(...letters), minLength: min, maxLength: 12 })
const typo = fc.record({
  kind: fc.constantFrom('missing', 'added', 'wrong', 'swapped'),
  at: fc.nat(),
  letter: fc.constantFrom(...letters)
})

function mistype(word: string, { kind, at, letter }: { kind: string; at: number; letter: string }): string {
  const place = at % (word.length - 1)
  const [before, one, two, after] = [word.slice(0, place), word[place]!, word[place + 1]!, word.slice(place + 2)]
  if (kind === 'missing') return before + two + after
  if (kind === 'added') return before + letter + one + two + after
  return kind === 'wrong' ? before + letter + two + after : before + two + one + after
}

test('a typo counts once, and what has one is found if the word is long enough', async () => {
  fc.assert(
    fc.property(words(6), typo, words(3), (word, mistake, other) => {
      const typed = mistype(word, mistake)
      assert.ok(countTypos(typed, word, 2) <= 1, `${typed} for ${word}`)
      if (maxTypos(typed) === 0) return
      const search = createSearch([found(`the ${word}`), found(other, { words: word })])
      const titles = search(typed, 9).map(({ title }) => title)
      assert.ok(titles.includes(`the ${word}`) && titles.includes(other), `${typed} finds ${titles}`)
    })
  )
})

test('what has the typed word comes before what has it with a typo, and a whole title before all others', async () => {
  fc.assert(
    fc.property(words(5), typo, (word, mistake) => {
      const near = mistype(word, mistake)
      fc.pre(!near.includes(word))
      const search = createSearch([
        ...[found(near), found(`${word}-more`), found('Other', { words: word, group: 'API' })],
        found(word, { group: 'Error' })
      ])
      const titles = search(word, 9).map(({ title }) => title)
      assert.deepEqual([titles[0], titles.slice(0, 3).includes(near)], [word, false], titles.join(', '))
    })
  )
})

test('a search finds synonyms as whole words, phrases, and nothing for words that no page has', async () => {
  const search = createSearch([
    found('database_unavailable', { group: 'Error' }),
    found('What happens to my data?', { group: 'Question' }),
    found('Tool calls'),
    found('Free plan', { group: 'Plan' }),
    found('free_model_requests', { group: 'Error' })
  ])
  const titles = (typed: string) => search(typed, 9).map(({ title }) => title)
  assert.deepEqual(titles('GDPR'), ['What happens to my data?'])
  assert.deepEqual(titles('data retention')[0], 'What happens to my data?')
  assert.deepEqual(titles('function calling'), ['Tool calls'])
  assert.deepEqual(titles('how do I get a trial?'), ['Free plan'])
  assert.equal(titles('free')[0], 'Free plan')
  assert.equal(titles('free model requests')[0], 'free_model_requests')
  assert.deepEqual(titles('xyzzyplugh'), [])
})
