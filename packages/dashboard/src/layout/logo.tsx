export function Logo() {
  return (
    <span className="inline-flex items-center gap-2.5 font-semibold tracking-tight">
      <svg aria-hidden="true" viewBox="0 0 32 32" className="size-7">
        <rect width="32" height="32" rx="8" className="fill-accent" />
        <path
          d="M9 24V9M9 13l15-4M6 24h8"
          className="stroke-on-accent"
          fill="none"
          strokeWidth="3"
          strokeLinecap="round"
        />
      </svg>
      Tollgate
    </span>
  )
}
