import assert from 'node:assert/strict'
import { test } from 'tap'
import { formatNumber, formatShare, formatSpread, renderTable } from './table.ts'

test('columns are aligned, whatever is in them', async () => {
  const lines = renderTable({
    head: ['', 'bare', 'gateway'],
    rows: [
      ['CPU per request', '85.2', '64.0'],
      ['requests/s', '11,500', '15,200']
    ]
  })
  assert.deepEqual(lines, [
    '                   bare  gateway',
    '────────────────────────────────',
    'CPU per request    85.2     64.0',
    'requests/s       11,500   15,200'
  ])
})

test('numbers have fixed decimals and a fixed locale', async () => {
  assert.equal(formatNumber(12345.678, 1), '12,345.7')
  assert.equal(formatNumber(0.5, 2), '0.50')
  assert.equal(formatShare(0.974), '97 %')
  assert.equal(formatSpread({ median: 0.751, lowerQuartile: 0.74, upperQuartile: 0.7699 }, 2), '0.75 (0.74–0.77)')
})
