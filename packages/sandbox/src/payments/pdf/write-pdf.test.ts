import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { type PdfText, writePdf } from './write-pdf.ts'

const line = (text: string): PdfText => ({ x: 50, y: 700, size: 10, isBold: false, text })

test('the cross-reference table finds each object, for any text', async () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.string({ unit: 'binary' }), { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
      (pages) => {
        const file = writePdf(
          'Title',
          pages.map((texts) => texts.map(line))
        ).toString('latin1')
        if (!file.startsWith('%PDF-1.4\n') || !file.endsWith('%%EOF\n')) throw new Error('The file is not a PDF.')
        const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1])
        const [, count = '', rows = ''] = /^xref\n0 (\d+)\n([\s\S]*?)trailer\n/.exec(file.slice(start)) ?? []
        if (Number(count) !== 6 + pages.length * 2) throw new Error('The table has the wrong length.')
        for (const [index, row] of rows
          .match(/.{18} \n/g)
          ?.slice(1)
          .entries() ?? []) {
          const place = Number(row.slice(0, 10))
          if (!file.startsWith(`${index + 1} 0 obj\n`, place))
            throw new Error(`Object ${index + 1} is at another offset.`)
        }
        for (const [, length, content] of file.matchAll(/<< \/Length (\d+) >>\nstream\n([\s\S]*?)\nendstream/g)) {
          if (content?.length !== Number(length)) throw new Error('A stream has the wrong length.')
        }
      }
    )
  )
})

test('parentheses are escaped, and characters outside Windows-1252 become question marks', async () => {
  const file = writePdf('x', [[line('a (b) \\ € é – 漢 \n')]]).toString('latin1')
  assert.ok(file.includes('(a \\(b\\) \\\\ \x80 \xe9 \x96 ? ?) Tj'))
})
