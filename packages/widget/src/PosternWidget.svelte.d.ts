import type { Component } from 'svelte';
import type { PosternConnection, PosternProps } from './connect.js';

/** A widget for Svelte 5. `bind:this` gives the connection. */
declare const PosternWidget: Component<PosternProps, PosternConnection>;
type PosternWidget = PosternConnection;
export default PosternWidget;
