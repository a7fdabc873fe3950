import { readDocument } from '../../api/read-document.ts'
import { textAddress } from '../../docs/list-pages.ts'

/** Query options for the text of a page. */
export const readPage = (page: string) => readDocument(textAddress(page))
