import { CopyButton } from './copy-button.tsx'
import { ScrollRegion } from './scroll-region.tsx'

/** A block of code with a copy button. */
export function CodeBlock({ code, what }: { readonly code: string; readonly what: string }) {
  return (
    <div className="relative rounded-xl border border-line bg-sunken">
      <div className="absolute top-2 right-2">
        <CopyButton text={code} what={what} />
      </div>
      <ScrollRegion label={what} className="max-h-96 overflow-auto rounded-xl p-4 pt-12 sm:pt-4 sm:pr-24">
        <pre className="font-mono text-[0.8125rem] leading-relaxed">
          <code>{code}</code>
        </pre>
      </ScrollRegion>
    </div>
  )
}
