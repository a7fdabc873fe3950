import { brand } from '../brand/brand.ts'

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
