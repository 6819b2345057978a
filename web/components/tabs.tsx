/** A choice between a few options, such as games or periods. Links if the choice is in the URL, to be shared. */
interface TabsProps {
  readonly label: string;
  readonly items: readonly { readonly key: string; readonly label: string; readonly href: string }[];
  readonly current: string;
}

export function Tabs({ label, items, current }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {items.map((item) => (
        <a key={item.key} href={item.href} {...(item.key === current ? { "aria-current": "true" as const } : {})}>
          {item.label}
        </a>
      ))}
    </nav>
  );
}
