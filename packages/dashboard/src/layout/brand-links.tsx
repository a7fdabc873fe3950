import { brand } from '../brand/brand.ts'
import { textLink } from '../ui/text-link.ts'

/** Links to the operator's support and legal pages; nothing without them. */
export function BrandLinks() {
  const links = [
    [brand.supportUrl, 'Support'],
    [brand.legalUrl, 'Legal']
  ] as const
  if (links.every(([url]) => url === null)) return null
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1 text-[0.8125rem]">
      {links.map(
        ([url, text]) =>
          url !== null && (
            <a key={text} href={url} className={textLink}>
              {text}
            </a>
          )
      )}
    </p>
  )
}
