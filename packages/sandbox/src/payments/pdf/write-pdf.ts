/** A line of text on an A4 page. */
export interface PdfText {
  /** Points from the left and from the bottom edge. */
  x: number
  y: number
  size: number
  isBold: boolean
  text: string
}

export const pageSize = { width: 595, height: 842 }

/**
 * Writes a PDF (1.4) with text in Helvetica, which every reader has. Characters outside Windows-1252 become question marks.
 * It needs only five kinds of objects, so no library is used; see ISO 32000-1 sections 7.5 (file) and 9.4 (text).
 */
export function writePdf(title: string, pages: readonly (readonly PdfText[])[]): Buffer {
  const pageIds = pages.map((_page, index) => 6 + index * 2)
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pageIds.map((id) => `${id} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>',
    `<< /Title ${literal(title)} /Producer (Tollgate sandbox) >>`,
    ...pages.flatMap((texts, index) => {
      const content = texts.map(showText).join('\n')
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${pageSize.width} ${pageSize.height}] /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents ${7 + index * 2} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`
      ]
    })
  ]
  // One character is one byte, so offsets in the text are offsets in the file.
  let file = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n'
  const places = objects.map((object, index) => {
    const place = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return place
  })
  const start = file.length
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`)
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join('')}`
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 5 0 R >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(file, 'latin1')
}

function showText({ x, y, size, isBold, text }: PdfText): string {
  return `BT /F${isBold ? 2 : 1} ${size} Tf ${x} ${y} Td ${literal(text)} Tj ET`
}

/** Encodes a text as a Windows-1252 string in parentheses. */
function literal(text: string): string {
  const bytes = [...text].map((character) => {
    const code = windowsCodes[character] ?? character.codePointAt(0) ?? 63
    return code < 32 || code > 255 || (code > 126 && code < 160 && windowsCodes[character] === undefined) ? 63 : code
  })
  return `(${String.fromCharCode(...bytes).replace(/[\\()]/g, '\\$&')})`
}

/** The characters whose codes differ between Windows-1252 and Unicode, as far as names and amounts need them. */
const windowsCodes: Readonly<Record<string, number>> = {
  '€': 0x80,
  '…': 0x85,
  Š: 0x8a,
  Œ: 0x8c,
  Ž: 0x8e,
  '‘': 0x91,
  '’': 0x92,
  '“': 0x93,
  '”': 0x94,
  '•': 0x95,
  '–': 0x96,
  '—': 0x97,
  š: 0x9a,
  œ: 0x9c,
  ž: 0x9e,
  Ÿ: 0x9f
}
