import { brand } from '../brand/brand.ts'
import { textLink } from '../ui/class-names.ts'

/** The brand's picture, or the built-in one with the name. */
export function Logo() {
  if (brand.logoUrl !== null)
    return <img src={brand.logoUrl} alt={brand.name} className="h-8 max-w-40 object-contain" />
  return (
    <span className="inline-flex min-w-0 items-center gap-2.5 font-semibold tracking-tight">
      <svg aria-hidden="true" viewBox="0 0 32 32" className="size-7 shrink-0">
        <rect width="32" height="32" rx="8" className="fill-accent" />
        <path
          d="M9 24V9M9 13l15-4M6 24h8"
          className="stroke-on-accent"
          fill="none"
          strokeWidth="3"
          strokeLinecap="round"
        />
      </svg>
      <span className="truncate">{brand.name}</span>
    </span>
  )
}

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
