import Activity from 'lucide/dist/esm/icons/activity.mjs';
import ArrowDown from 'lucide/dist/esm/icons/arrow-down.mjs';
import ArrowUp from 'lucide/dist/esm/icons/arrow-up.mjs';
import BookOpen from 'lucide/dist/esm/icons/book-open.mjs';
import Building from 'lucide/dist/esm/icons/building.mjs';
import ChartColumn from 'lucide/dist/esm/icons/chart-column.mjs';
import ChevronRight from 'lucide/dist/esm/icons/chevron-right.mjs';
import Circle from 'lucide/dist/esm/icons/circle.mjs';
import CircleCheck from 'lucide/dist/esm/icons/circle-check.mjs';
import CodeXml from 'lucide/dist/esm/icons/code-xml.mjs';
import Copy from 'lucide/dist/esm/icons/copy.mjs';
import Download from 'lucide/dist/esm/icons/download.mjs';
import Eye from 'lucide/dist/esm/icons/eye.mjs';
import Funnel from 'lucide/dist/esm/icons/funnel.mjs';
import Globe from 'lucide/dist/esm/icons/globe.mjs';
import Home from 'lucide/dist/esm/icons/house.mjs';
import Info from 'lucide/dist/esm/icons/info.mjs';
import Key from 'lucide/dist/esm/icons/key-round.mjs';
import Keyboard from 'lucide/dist/esm/icons/keyboard.mjs';
import ListTodo from 'lucide/dist/esm/icons/list-todo.mjs';
import LogOut from 'lucide/dist/esm/icons/log-out.mjs';
import Menu from 'lucide/dist/esm/icons/menu.mjs';
import Plus from 'lucide/dist/esm/icons/plus.mjs';
import ScrollText from 'lucide/dist/esm/icons/scroll-text.mjs';
import Search from 'lucide/dist/esm/icons/search.mjs';
import Server from 'lucide/dist/esm/icons/server.mjs';
import Settings from 'lucide/dist/esm/icons/settings.mjs';
import Shield from 'lucide/dist/esm/icons/shield.mjs';
import ShieldCheck from 'lucide/dist/esm/icons/shield-check.mjs';
import SwatchBook from 'lucide/dist/esm/icons/swatch-book.mjs';
import Trash from 'lucide/dist/esm/icons/trash.mjs';
import TriangleAlert from 'lucide/dist/esm/icons/triangle-alert.mjs';
import Upload from 'lucide/dist/esm/icons/upload.mjs';
import User from 'lucide/dist/esm/icons/user.mjs';
import Users from 'lucide/dist/esm/icons/users.mjs';
import X from 'lucide/dist/esm/icons/x.mjs';
import { Raw } from '../../jsx/runtime.ts';

const NODES = {
  activity: Activity,
  add: Plus,
  alert: TriangleAlert,
  apiKey: Key,
  auditLog: ScrollText,
  chart: ChartColumn,
  chevron: ChevronRight,
  close: X,
  code: CodeXml,
  copy: Copy,
  delete: Trash,
  docs: BookOpen,
  down: ArrowDown,
  download: Download,
  filter: Funnel,
  home: Home,
  info: Info,
  keyboard: Keyboard,
  menu: Menu,
  ok: CircleCheck,
  organization: Building,
  preferences: SwatchBook,
  property: Globe,
  protected: ShieldCheck,
  reveal: Eye,
  search: Search,
  security: Shield,
  settings: Settings,
  signOut: LogOut,
  system: Server,
  tasks: ListTodo,
  todo: Circle,
  up: ArrowUp,
  upload: Upload,
  user: User,
  users: Users,
} as const;

export type IconName = keyof typeof NODES;

/** An icon of Lucide, as high as the text. Assistive technology ignores it, so the text next to it must be sufficient. */
export function Icon({ name }: { readonly name: IconName }) {
  return <Raw markup={MARKUP[name]} />;
}

/** The markup of the icons. The package's own constants contain no input. */
const MARKUP: Readonly<Record<IconName, string>> = mapValues(NODES, (node) => {
  const shapes = node.map(([tag, attributes]) => {
    const pairs = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`);
    return `<${tag}${pairs.join('')}/>`;
  });
  return `<svg class="icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">${shapes.join('')}</svg>`;
});

function mapValues<Key extends string, From, To>(
  values: Readonly<Record<Key, From>>,
  convert: (value: From) => To,
): Readonly<Record<Key, To>> {
  const entries = Object.entries<From>(values).map(([key, value]) => [key, convert(value)]);
  return Object.fromEntries(entries) as Record<Key, To>;
}
