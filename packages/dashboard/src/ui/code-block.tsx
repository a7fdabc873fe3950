import { CopyButton } from './copy-button.tsx'

/** Code to copy. */
export function CodeBlock({ code, what }: { readonly code: string; readonly what: string }) {
  return (
    <div className="relative rounded-xl border border-line bg-sunken">
      <div className="absolute top-2 right-2">
        <CopyButton text={code} what={what} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre
        tabIndex={0}
        aria-label={what}
        className="overflow-x-auto p-4 pr-24 font-mono text-[0.8125rem] leading-relaxed"
      >
        <code>{code}</code>
      </pre>
    </div>
  )
}
