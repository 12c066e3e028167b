/*! with uPlot (c) Leon Sorokin and three.js (c) three.js authors, both under the MIT licence */class au extends Error{constructor(e,t){super(t),this.status=e}}function gn(i){return qf(i,{})}function Gp(i,e){return qf(i,{method:"POST",headers:{"Content-Type":"application/json"},body:JSON.stringify(e)})}async function qf(i,e){let t;try{t=await fetch(i,e)}catch{throw new au(0,"The server does not answer. Is megascale serve still running?")}if(t.ok)return await t.json();const n=await t.text();let s=n;try{s=JSON.parse(n).error}catch{}throw new au(t.status,s)}function A(i,e={},...t){const[n,...s]=i.split("."),r=document.createElement(n||"div");s.length&&(r.className=s.join(" "));for(const[a,o]of Object.entries(e))o===void 0||o===!1||(typeof o=="function"?r.addEventListener(a.slice(2),o):r.setAttribute(a,o===!0?"":String(o)));for(const a of t)a&&r.append(a);return r}function Xe(i,...e){i.replaceChildren(...e.filter(Boolean))}function wn(i,e){return A("label.field",{},A("span",{},i),e)}function Qn(i,e,t){const n=A("select",{onchange:()=>t(n.value)});let s=null;for(const r of i){const a=A("option",{value:r.value,selected:r.value===e},r.label);if(!r.group){n.append(a);continue}s?.getAttribute("label")!==r.group&&(s=A("optgroup",{label:r.group}),n.append(s)),s.append(a)}return n}function Zt(i,e,t="empty"){return A(`div.notice.${t}`,{role:t==="error"?"alert":"status"},A("h2",{},i),A("p",{},e))}function vr(i){const e=document.getElementById("live");e&&(e.textContent=i)}const jf="megascale-theme",Vl=new Set;function Wp(){const i=localStorage.getItem(jf);i&&(document.documentElement.dataset.theme=i),matchMedia("(prefers-color-scheme: dark)").addEventListener("change",Jf)}function Kf(){const i=document.documentElement.dataset.theme;return i?i==="dark":matchMedia("(prefers-color-scheme: dark)").matches}function Zf(){const i=Kf()?"light":"dark";document.documentElement.dataset.theme=i,localStorage.setItem(jf,i),Jf()}function Jf(){for(const i of Vl)i()}function aa(i){return Vl.add(i),()=>Vl.delete(i)}function hc(i){return i.match(/[0-9a-f]{2}/gi).map(e=>Number.parseInt(e,16))}function Lt(i){return getComputedStyle(document.documentElement).getPropertyValue(i).trim()}const $p=[[1e15,"P"],[1e12,"T"],[1e9,"G"],[1e6,"M"],[1e3,"k"]];function Jn(i,e=3){const t=Math.abs(i);for(const[n,s]of $p)if(t>=n)return`${ys(i/n,e)} ${s}`;return t!==0&&t<.001?i.toExponential(e-1):ys(i,e)}function Qf(i){return Math.abs(i)<1e5?i.toFixed(0):Jn(i,4)}function ys(i,e){const t=Math.abs(i),n=t>=1?Math.max(0,e-1-Math.floor(Math.log10(t))):e;return i.toFixed(Math.min(n,6))}function jt(i){const e=Math.abs(i);return e===0?"0 s":e<1e-6?`${ys(i*1e9,3)} ns`:e<.001?`${ys(i*1e6,3)} µs`:e<1?`${ys(i*1e3,3)} ms`:e<120?`${ys(i,3)} s`:vs(i)}function vs(i){const e=[[86400,"d"],[3600,"h"],[60,"min"],[1,"s"]],t=[];let n=Math.round(i);for(const[s,r]of e)if((n>=s||t.length&&t.length<2)&&(t.push(`${Math.floor(n/s)} ${r}`),n%=s),t.length===2)break;return t.join(" ")||"0 s"}function ln(i){const e=["B","KiB","MiB","GiB","TiB"];let t=0;for(;Math.abs(i)>=1024&&t+1<e.length;)i/=1024,t+=1;return`${t===0?i.toFixed(0):ys(i,3)} ${e[t]}`}function _n(i,e=1){return`${(100*i).toFixed(e)} %`}function Ui(i,e){switch(e){case"seconds":return jt(i);case"ratio":return _n(i);case"bytes":return ln(i);default:return Jn(i,4)+(e&&e!=="nats"?` ${e}`:"")}}const Xp=168,ou=10;function kt(i,e,t=""){return A("div.tile",{},A("span.label",{},i),A("span.value",{title:e},e),A("span.detail",{title:t},t))}function Yp(i,e){const t=Math.max(1,Math.floor((e+ou)/(Xp+ou)));return Math.max(1,Math.ceil(i/Math.ceil(i/t)))}class uo{element;observer=new ResizeObserver(()=>this.arrange());constructor(e){this.element=A("div.tiles",{role:"group","aria-label":e}),this.observer.observe(this.element)}show(e){Xe(this.element,...e),this.arrange()}destroy(){this.observer.disconnect()}arrange(){this.element.style.gridTemplateColumns=`repeat(${Yp(this.element.childElementCount,this.element.clientWidth)}, minmax(0, 1fr))`}}const Vo={stepping:"new steps",checkpoint_stall:"waiting for checkpoints",detection:"detecting faults",checks:"self-checks",restart:"starting and loading",repeated:"repeating lost steps",idle:"waiting"},qp=["member","spare"];function jp(i,e){const t=A("div"),n=new uo("Where the job stands");i.append(t);let s=!1,r=0,a="",o="";function l(m,d,y){return A("div.scroll",{tabindex:0,role:"region","aria-label":m},A("table",{},A("thead",{},A("tr",{},...d.map(M=>A("th",{},M)))),A("tbody",{},...y)))}function c(...m){return A("tr",{},...m.map(d=>typeof d=="string"?A("td",{},d):d.tagName==="TD"?d:A("td",{},d)))}function u(m){const d=A("input",{size:44,maxlength:400,placeholder:"for the job's record"}),y=A("p.failure",{role:"alert",hidden:!0}),M=A("button.danger",{},`Evict ${m}`),w=A("dialog",{"aria-label":`Evict ${m}`},A("h2",{},`Evict ${m}?`),A("p",{},"The host gets no ranks of this job any more. If it has ranks now, the job goes back to its newest checkpoint and continues on other hosts."),A("p.muted",{},"megascale evict HOST --allow takes this back."),A("label.field",{},A("span",{},"Reason"),d),y,A("div.choices",{},A("button",{onclick:()=>w.close()},"Cancel"),M));M.addEventListener("click",()=>{M.disabled=!0,Gp(`/api/runs/${e.run.id}/evict`,{host:m,why:d.value}).then(()=>{o=`The driver was told to evict ${m}.`,vr(o),a="",w.close(),x()}).catch(V=>{y.hidden=!1,y.textContent=V.message,M.disabled=!1})}),w.addEventListener("close",()=>w.remove()),document.body.append(w),w.showModal()}function h(m,d){const[y,...M]=m.state.split(": "),w=d.incidents.filter(V=>V.host===m.host).length;return c(A("td",{},A("strong",{},m.host),d.status.driver_host===m.host?A("span.muted",{}," driver"):null),A("span",{},A(`span.state.${qp.includes(y)?"live":"lost"}`,{},y),M.length?` ${M.join(": ")}`:null),String(m.cores||"–"),String(w),...d.can_evict?[y!=="blocked"?A("button",{onclick:()=>u(m.host)},"Evict …"):""]:[])}function f(m){const{status:d}=m,y=d.exit_code===void 0?"":d.exit_code===0?"ended":"failed",M=y||(d.driver_lives?d.phase:"driver is gone"),w=y==="failed"?`exit code ${d.exit_code}`:!y&&!d.driver_lives?`last seen ${vs(d.silent_seconds)} ago`:`attempt ${d.attempt}`,V=d.hosts.filter(T=>T.state==="member").length;n.show([kt("State",M,w),kt("Effective training",_n(d.effective),`of ${vs(d.seconds.wall)}`),kt("Steps",d.steps_done.toLocaleString("en"),d.checkpoint!==void 0?`checkpoint at ${d.checkpoint.toLocaleString("en")}`:"no checkpoint yet"),kt("Incidents",String(m.incidents.length),`${m.incidents.filter(T=>T.open).length} open`),kt("Hosts",String(d.hosts.length),`${V} with ranks`)])}function p(m){const{seconds:d,effective:y}=m.status,M=A("div.bar.tall",{role:"img","aria-label":`effective training ${_n(y)}`});return Object.keys(Vo).forEach((w,V)=>{const T=A(`span.memory-${V}`,{title:`${Vo[w]}: ${vs(d[w]??0)}`});T.style.width=`${100*(d[w]??0)/(d.wall||1)}%`,M.append(T)}),[A("h2",{},"Where the time went"),M,A("div.legend",{},...Object.entries(Vo).map(([w,V],T)=>A("span",{},A(`i.memory-${T}`),`${V} ${vs(d[w]??0)}`)))]}function _(m){f(m),Xe(t,n.element,m.status.end?Zt("The job has failed",m.status.end,"error"):null,o?A("p.fine",{},o):null,...p(m),A("h2",{},"Hosts"),l("Hosts",m.can_evict?["Host","State","Cores","Incidents","Order"]:["Host","State","Cores","Incidents"],m.status.hosts.map(d=>h(d,m))),m.can_evict?null:A("p.muted",{},"To evict hosts from this page, give megascale serve the options --driver and --operator-cert."),A("h2",{},"Incidents"),m.incidents.length===0?A("p.fine",{},"None so far."):l("Incidents",["Number","What","Rule","Host","Step","Evidence","Action","Outcome"],m.incidents.slice().reverse().map(d=>c(String(d.number),d.what,A("code",{},d.rule),d.host,d.step>=0?String(d.step):"–",A("td.long",{},d.evidence),d.action,d.open?"open":`${d.outcome}${d.seconds!==void 0?` (${vs(d.seconds)})`:""}`))),A("h2",{},"Attempts"),l("Attempts",["Number","Resumed at step","Steps done","Outcome"],m.attempts.slice().reverse().map(d=>c(String(d.number),d.resumed_step>=0?String(d.resumed_step):"–",d.steps_done>=0?String(d.steps_done):"–",d.runs?"runs":d.outcome))))}async function x(){window.clearTimeout(r);try{const m=await gn(`/api/runs/${e.run.id}/job`),d=JSON.stringify(m);!s&&d!==a&&!(t.contains(document.activeElement)&&a!==""&&Kp(a,d))&&(a=d,_(m))}catch(m){const d=m;a="",s||Xe(t,Zt(d.status===404?"No driver":"The record cannot be read",d.message,d.status===404?"empty":"error"))}s||(r=window.setTimeout(()=>void x(),3e3))}return x(),{leave(){s=!0,window.clearTimeout(r),n.destroy()}}}function Kp(i,e){const t=n=>{const s=JSON.parse(n),{phase:r,driver_lives:a,attempt:o,hosts:l}=s.status;return JSON.stringify([r,a,o,l,s.incidents,s.attempts])};return t(i)===t(e)}const ed=.2,Zp=[37,99,201],Jp=[204,62,28],Qp=[226,229,235],em=[58,64,75],Go=64;function fc(){const i=Kf()?em:Qp,e=Array.from({length:2*Go+1},(t,n)=>{const s=n/Go-1,r=s<0?Zp:Jp,[a,o,l]=i.map((c,u)=>Math.round(c+(r[u]-c)*Math.abs(s)**.8));return{css:`rgb(${a} ${o} ${l})`,rgb:[a,o,l],is_light:.299*a+.587*o+.114*l>140}});return t=>e[Math.round((1+Math.max(-1,Math.min(1,t/ed)))*Go)]}const _a=[[44,62,140],[33,118,152],[46,160,122],[150,190,70],[240,205,60]];function tm(i){const e=Math.max(0,Math.min(1,i))*(_a.length-1),t=Math.min(_a.length-2,Math.floor(e));return _a[t].map((n,s)=>n+(_a[t+1][s]-n)*(e-t))}const nm={usual:[92,128,178],slow:[224,130,36],stuck:[214,40,40],waits:[216,178,70],unknown:[148,156,170]};function lu(i){return nm[i]}const cu=["#4c7fd6","#3f9e7b","#c98a2b","#8f66c4","#c2587f","#4aa3b5","#8a9a3b","#b5643c","#6d78a8","#7d9b6a"];function td(i){return cu[i%cu.length]}function uu(i){return hc(td(i))}const im={exposed_comm:"--idle-exposed",bubble:"--idle-bubble",data_wait:"--idle-data"};/**
 * @license
 * Copyright 2010-2024 Three.js Authors
 * SPDX-License-Identifier: MIT
 */const dc="164",Ws={ROTATE:0,DOLLY:1,PAN:2},$s={ROTATE:0,PAN:1,DOLLY_PAN:2,DOLLY_ROTATE:3},sm=0,hu=1,rm=2,nd=1,am=2,Di=3,is=0,Un=1,ui=2,ts=0,pr=1,fu=2,du=3,pu=4,om=5,xs=100,lm=101,cm=102,um=103,hm=104,fm=200,dm=201,pm=202,mm=203,Gl=204,Wl=205,gm=206,_m=207,vm=208,xm=209,Mm=210,Sm=211,ym=212,Em=213,bm=214,wm=0,Tm=1,Am=2,Qa=3,Rm=4,Cm=5,Pm=6,Lm=7,id=0,Dm=1,Um=2,ns=0,Im=1,Nm=2,Om=3,Fm=4,km=5,Bm=6,zm=7,sd=300,xr=301,Mr=302,$l=303,Xl=304,ho=306,Yl=1e3,Es=1001,ql=1002,Ln=1003,Hm=1004,va=1005,hi=1006,Wo=1007,bs=1008,ss=1009,Vm=1010,Gm=1011,rd=1012,ad=1013,Sr=1014,es=1015,fo=1016,od=1017,ld=1018,oa=1020,Wm=35902,$m=1021,Xm=1022,yi=1023,Ym=1024,qm=1025,mr=1026,ta=1027,jm=1028,cd=1029,Km=1030,ud=1031,hd=1033,$o=33776,Xo=33777,Yo=33778,qo=33779,mu=35840,gu=35841,_u=35842,vu=35843,xu=36196,Mu=37492,Su=37496,yu=37808,Eu=37809,bu=37810,wu=37811,Tu=37812,Au=37813,Ru=37814,Cu=37815,Pu=37816,Lu=37817,Du=37818,Uu=37819,Iu=37820,Nu=37821,jo=36492,Ou=36494,Fu=36495,Zm=36283,ku=36284,Bu=36285,zu=36286,Jm=3200,Qm=3201,eg=0,tg=1,Qi="",xi="srgb",ki="srgb-linear",pc="display-p3",po="display-p3-linear",eo="linear",Pt="srgb",to="rec709",no="p3",Xs=7680,Hu=519,ng=512,ig=513,sg=514,fd=515,rg=516,ag=517,og=518,lg=519,Vu=35044,cg=35048,Gu="300 es",Ii=2e3,io=2001;class Ps{addEventListener(e,t){this._listeners===void 0&&(this._listeners={});const n=this._listeners;n[e]===void 0&&(n[e]=[]),n[e].indexOf(t)===-1&&n[e].push(t)}hasEventListener(e,t){if(this._listeners===void 0)return!1;const n=this._listeners;return n[e]!==void 0&&n[e].indexOf(t)!==-1}removeEventListener(e,t){if(this._listeners===void 0)return;const s=this._listeners[e];if(s!==void 0){const r=s.indexOf(t);r!==-1&&s.splice(r,1)}}dispatchEvent(e){if(this._listeners===void 0)return;const n=this._listeners[e.type];if(n!==void 0){e.target=this;const s=n.slice(0);for(let r=0,a=s.length;r<a;r++)s[r].call(this,e);e.target=null}}}const pn=["00","01","02","03","04","05","06","07","08","09","0a","0b","0c","0d","0e","0f","10","11","12","13","14","15","16","17","18","19","1a","1b","1c","1d","1e","1f","20","21","22","23","24","25","26","27","28","29","2a","2b","2c","2d","2e","2f","30","31","32","33","34","35","36","37","38","39","3a","3b","3c","3d","3e","3f","40","41","42","43","44","45","46","47","48","49","4a","4b","4c","4d","4e","4f","50","51","52","53","54","55","56","57","58","59","5a","5b","5c","5d","5e","5f","60","61","62","63","64","65","66","67","68","69","6a","6b","6c","6d","6e","6f","70","71","72","73","74","75","76","77","78","79","7a","7b","7c","7d","7e","7f","80","81","82","83","84","85","86","87","88","89","8a","8b","8c","8d","8e","8f","90","91","92","93","94","95","96","97","98","99","9a","9b","9c","9d","9e","9f","a0","a1","a2","a3","a4","a5","a6","a7","a8","a9","aa","ab","ac","ad","ae","af","b0","b1","b2","b3","b4","b5","b6","b7","b8","b9","ba","bb","bc","bd","be","bf","c0","c1","c2","c3","c4","c5","c6","c7","c8","c9","ca","cb","cc","cd","ce","cf","d0","d1","d2","d3","d4","d5","d6","d7","d8","d9","da","db","dc","dd","de","df","e0","e1","e2","e3","e4","e5","e6","e7","e8","e9","ea","eb","ec","ed","ee","ef","f0","f1","f2","f3","f4","f5","f6","f7","f8","f9","fa","fb","fc","fd","fe","ff"],Ya=Math.PI/180,jl=180/Math.PI;function la(){const i=Math.random()*4294967295|0,e=Math.random()*4294967295|0,t=Math.random()*4294967295|0,n=Math.random()*4294967295|0;return(pn[i&255]+pn[i>>8&255]+pn[i>>16&255]+pn[i>>24&255]+"-"+pn[e&255]+pn[e>>8&255]+"-"+pn[e>>16&15|64]+pn[e>>24&255]+"-"+pn[t&63|128]+pn[t>>8&255]+"-"+pn[t>>16&255]+pn[t>>24&255]+pn[n&255]+pn[n>>8&255]+pn[n>>16&255]+pn[n>>24&255]).toLowerCase()}function hn(i,e,t){return Math.max(e,Math.min(t,i))}function ug(i,e){return(i%e+e)%e}function Ko(i,e,t){return(1-t)*i+t*e}function Br(i,e){switch(e.constructor){case Float32Array:return i;case Uint32Array:return i/4294967295;case Uint16Array:return i/65535;case Uint8Array:return i/255;case Int32Array:return Math.max(i/2147483647,-1);case Int16Array:return Math.max(i/32767,-1);case Int8Array:return Math.max(i/127,-1);default:throw new Error("Invalid component type.")}}function Cn(i,e){switch(e.constructor){case Float32Array:return i;case Uint32Array:return Math.round(i*4294967295);case Uint16Array:return Math.round(i*65535);case Uint8Array:return Math.round(i*255);case Int32Array:return Math.round(i*2147483647);case Int16Array:return Math.round(i*32767);case Int8Array:return Math.round(i*127);default:throw new Error("Invalid component type.")}}const hg={DEG2RAD:Ya};class ze{constructor(e=0,t=0){ze.prototype.isVector2=!0,this.x=e,this.y=t}get width(){return this.x}set width(e){this.x=e}get height(){return this.y}set height(e){this.y=e}set(e,t){return this.x=e,this.y=t,this}setScalar(e){return this.x=e,this.y=e,this}setX(e){return this.x=e,this}setY(e){return this.y=e,this}setComponent(e,t){switch(e){case 0:this.x=t;break;case 1:this.y=t;break;default:throw new Error("index is out of range: "+e)}return this}getComponent(e){switch(e){case 0:return this.x;case 1:return this.y;default:throw new Error("index is out of range: "+e)}}clone(){return new this.constructor(this.x,this.y)}copy(e){return this.x=e.x,this.y=e.y,this}add(e){return this.x+=e.x,this.y+=e.y,this}addScalar(e){return this.x+=e,this.y+=e,this}addVectors(e,t){return this.x=e.x+t.x,this.y=e.y+t.y,this}addScaledVector(e,t){return this.x+=e.x*t,this.y+=e.y*t,this}sub(e){return this.x-=e.x,this.y-=e.y,this}subScalar(e){return this.x-=e,this.y-=e,this}subVectors(e,t){return this.x=e.x-t.x,this.y=e.y-t.y,this}multiply(e){return this.x*=e.x,this.y*=e.y,this}multiplyScalar(e){return this.x*=e,this.y*=e,this}divide(e){return this.x/=e.x,this.y/=e.y,this}divideScalar(e){return this.multiplyScalar(1/e)}applyMatrix3(e){const t=this.x,n=this.y,s=e.elements;return this.x=s[0]*t+s[3]*n+s[6],this.y=s[1]*t+s[4]*n+s[7],this}min(e){return this.x=Math.min(this.x,e.x),this.y=Math.min(this.y,e.y),this}max(e){return this.x=Math.max(this.x,e.x),this.y=Math.max(this.y,e.y),this}clamp(e,t){return this.x=Math.max(e.x,Math.min(t.x,this.x)),this.y=Math.max(e.y,Math.min(t.y,this.y)),this}clampScalar(e,t){return this.x=Math.max(e,Math.min(t,this.x)),this.y=Math.max(e,Math.min(t,this.y)),this}clampLength(e,t){const n=this.length();return this.divideScalar(n||1).multiplyScalar(Math.max(e,Math.min(t,n)))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this}negate(){return this.x=-this.x,this.y=-this.y,this}dot(e){return this.x*e.x+this.y*e.y}cross(e){return this.x*e.y-this.y*e.x}lengthSq(){return this.x*this.x+this.y*this.y}length(){return Math.sqrt(this.x*this.x+this.y*this.y)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)}normalize(){return this.divideScalar(this.length()||1)}angle(){return Math.atan2(-this.y,-this.x)+Math.PI}angleTo(e){const t=Math.sqrt(this.lengthSq()*e.lengthSq());if(t===0)return Math.PI/2;const n=this.dot(e)/t;return Math.acos(hn(n,-1,1))}distanceTo(e){return Math.sqrt(this.distanceToSquared(e))}distanceToSquared(e){const t=this.x-e.x,n=this.y-e.y;return t*t+n*n}manhattanDistanceTo(e){return Math.abs(this.x-e.x)+Math.abs(this.y-e.y)}setLength(e){return this.normalize().multiplyScalar(e)}lerp(e,t){return this.x+=(e.x-this.x)*t,this.y+=(e.y-this.y)*t,this}lerpVectors(e,t,n){return this.x=e.x+(t.x-e.x)*n,this.y=e.y+(t.y-e.y)*n,this}equals(e){return e.x===this.x&&e.y===this.y}fromArray(e,t=0){return this.x=e[t],this.y=e[t+1],this}toArray(e=[],t=0){return e[t]=this.x,e[t+1]=this.y,e}fromBufferAttribute(e,t){return this.x=e.getX(t),this.y=e.getY(t),this}rotateAround(e,t){const n=Math.cos(t),s=Math.sin(t),r=this.x-e.x,a=this.y-e.y;return this.x=r*n-a*s+e.x,this.y=r*s+a*n+e.y,this}random(){return this.x=Math.random(),this.y=Math.random(),this}*[Symbol.iterator](){yield this.x,yield this.y}}class rt{constructor(e,t,n,s,r,a,o,l,c){rt.prototype.isMatrix3=!0,this.elements=[1,0,0,0,1,0,0,0,1],e!==void 0&&this.set(e,t,n,s,r,a,o,l,c)}set(e,t,n,s,r,a,o,l,c){const u=this.elements;return u[0]=e,u[1]=s,u[2]=o,u[3]=t,u[4]=r,u[5]=l,u[6]=n,u[7]=a,u[8]=c,this}identity(){return this.set(1,0,0,0,1,0,0,0,1),this}copy(e){const t=this.elements,n=e.elements;return t[0]=n[0],t[1]=n[1],t[2]=n[2],t[3]=n[3],t[4]=n[4],t[5]=n[5],t[6]=n[6],t[7]=n[7],t[8]=n[8],this}extractBasis(e,t,n){return e.setFromMatrix3Column(this,0),t.setFromMatrix3Column(this,1),n.setFromMatrix3Column(this,2),this}setFromMatrix4(e){const t=e.elements;return this.set(t[0],t[4],t[8],t[1],t[5],t[9],t[2],t[6],t[10]),this}multiply(e){return this.multiplyMatrices(this,e)}premultiply(e){return this.multiplyMatrices(e,this)}multiplyMatrices(e,t){const n=e.elements,s=t.elements,r=this.elements,a=n[0],o=n[3],l=n[6],c=n[1],u=n[4],h=n[7],f=n[2],p=n[5],_=n[8],x=s[0],m=s[3],d=s[6],y=s[1],M=s[4],w=s[7],V=s[2],T=s[5],C=s[8];return r[0]=a*x+o*y+l*V,r[3]=a*m+o*M+l*T,r[6]=a*d+o*w+l*C,r[1]=c*x+u*y+h*V,r[4]=c*m+u*M+h*T,r[7]=c*d+u*w+h*C,r[2]=f*x+p*y+_*V,r[5]=f*m+p*M+_*T,r[8]=f*d+p*w+_*C,this}multiplyScalar(e){const t=this.elements;return t[0]*=e,t[3]*=e,t[6]*=e,t[1]*=e,t[4]*=e,t[7]*=e,t[2]*=e,t[5]*=e,t[8]*=e,this}determinant(){const e=this.elements,t=e[0],n=e[1],s=e[2],r=e[3],a=e[4],o=e[5],l=e[6],c=e[7],u=e[8];return t*a*u-t*o*c-n*r*u+n*o*l+s*r*c-s*a*l}invert(){const e=this.elements,t=e[0],n=e[1],s=e[2],r=e[3],a=e[4],o=e[5],l=e[6],c=e[7],u=e[8],h=u*a-o*c,f=o*l-u*r,p=c*r-a*l,_=t*h+n*f+s*p;if(_===0)return this.set(0,0,0,0,0,0,0,0,0);const x=1/_;return e[0]=h*x,e[1]=(s*c-u*n)*x,e[2]=(o*n-s*a)*x,e[3]=f*x,e[4]=(u*t-s*l)*x,e[5]=(s*r-o*t)*x,e[6]=p*x,e[7]=(n*l-c*t)*x,e[8]=(a*t-n*r)*x,this}transpose(){let e;const t=this.elements;return e=t[1],t[1]=t[3],t[3]=e,e=t[2],t[2]=t[6],t[6]=e,e=t[5],t[5]=t[7],t[7]=e,this}getNormalMatrix(e){return this.setFromMatrix4(e).invert().transpose()}transposeIntoArray(e){const t=this.elements;return e[0]=t[0],e[1]=t[3],e[2]=t[6],e[3]=t[1],e[4]=t[4],e[5]=t[7],e[6]=t[2],e[7]=t[5],e[8]=t[8],this}setUvTransform(e,t,n,s,r,a,o){const l=Math.cos(r),c=Math.sin(r);return this.set(n*l,n*c,-n*(l*a+c*o)+a+e,-s*c,s*l,-s*(-c*a+l*o)+o+t,0,0,1),this}scale(e,t){return this.premultiply(Zo.makeScale(e,t)),this}rotate(e){return this.premultiply(Zo.makeRotation(-e)),this}translate(e,t){return this.premultiply(Zo.makeTranslation(e,t)),this}makeTranslation(e,t){return e.isVector2?this.set(1,0,e.x,0,1,e.y,0,0,1):this.set(1,0,e,0,1,t,0,0,1),this}makeRotation(e){const t=Math.cos(e),n=Math.sin(e);return this.set(t,-n,0,n,t,0,0,0,1),this}makeScale(e,t){return this.set(e,0,0,0,t,0,0,0,1),this}equals(e){const t=this.elements,n=e.elements;for(let s=0;s<9;s++)if(t[s]!==n[s])return!1;return!0}fromArray(e,t=0){for(let n=0;n<9;n++)this.elements[n]=e[n+t];return this}toArray(e=[],t=0){const n=this.elements;return e[t]=n[0],e[t+1]=n[1],e[t+2]=n[2],e[t+3]=n[3],e[t+4]=n[4],e[t+5]=n[5],e[t+6]=n[6],e[t+7]=n[7],e[t+8]=n[8],e}clone(){return new this.constructor().fromArray(this.elements)}}const Zo=new rt;function dd(i){for(let e=i.length-1;e>=0;--e)if(i[e]>=65535)return!0;return!1}function so(i){return document.createElementNS("http://www.w3.org/1999/xhtml",i)}function fg(){const i=so("canvas");return i.style.display="block",i}const Wu={};function dg(i){i in Wu||(Wu[i]=!0,console.warn(i))}const $u=new rt().set(.8224621,.177538,0,.0331941,.9668058,0,.0170827,.0723974,.9105199),Xu=new rt().set(1.2249401,-.2249404,0,-.0420569,1.0420571,0,-.0196376,-.0786361,1.0982735),xa={[ki]:{transfer:eo,primaries:to,toReference:i=>i,fromReference:i=>i},[xi]:{transfer:Pt,primaries:to,toReference:i=>i.convertSRGBToLinear(),fromReference:i=>i.convertLinearToSRGB()},[po]:{transfer:eo,primaries:no,toReference:i=>i.applyMatrix3(Xu),fromReference:i=>i.applyMatrix3($u)},[pc]:{transfer:Pt,primaries:no,toReference:i=>i.convertSRGBToLinear().applyMatrix3(Xu),fromReference:i=>i.applyMatrix3($u).convertLinearToSRGB()}},pg=new Set([ki,po]),vt={enabled:!0,_workingColorSpace:ki,get workingColorSpace(){return this._workingColorSpace},set workingColorSpace(i){if(!pg.has(i))throw new Error(`Unsupported working color space, "${i}".`);this._workingColorSpace=i},convert:function(i,e,t){if(this.enabled===!1||e===t||!e||!t)return i;const n=xa[e].toReference,s=xa[t].fromReference;return s(n(i))},fromWorkingColorSpace:function(i,e){return this.convert(i,this._workingColorSpace,e)},toWorkingColorSpace:function(i,e){return this.convert(i,e,this._workingColorSpace)},getPrimaries:function(i){return xa[i].primaries},getTransfer:function(i){return i===Qi?eo:xa[i].transfer}};function gr(i){return i<.04045?i*.0773993808:Math.pow(i*.9478672986+.0521327014,2.4)}function Jo(i){return i<.0031308?i*12.92:1.055*Math.pow(i,.41666)-.055}let Ys;class mg{static getDataURL(e){if(/^data:/i.test(e.src)||typeof HTMLCanvasElement>"u")return e.src;let t;if(e instanceof HTMLCanvasElement)t=e;else{Ys===void 0&&(Ys=so("canvas")),Ys.width=e.width,Ys.height=e.height;const n=Ys.getContext("2d");e instanceof ImageData?n.putImageData(e,0,0):n.drawImage(e,0,0,e.width,e.height),t=Ys}return t.width>2048||t.height>2048?(console.warn("THREE.ImageUtils.getDataURL: Image converted to jpg for performance reasons",e),t.toDataURL("image/jpeg",.6)):t.toDataURL("image/png")}static sRGBToLinear(e){if(typeof HTMLImageElement<"u"&&e instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&e instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&e instanceof ImageBitmap){const t=so("canvas");t.width=e.width,t.height=e.height;const n=t.getContext("2d");n.drawImage(e,0,0,e.width,e.height);const s=n.getImageData(0,0,e.width,e.height),r=s.data;for(let a=0;a<r.length;a++)r[a]=gr(r[a]/255)*255;return n.putImageData(s,0,0),t}else if(e.data){const t=e.data.slice(0);for(let n=0;n<t.length;n++)t instanceof Uint8Array||t instanceof Uint8ClampedArray?t[n]=Math.floor(gr(t[n]/255)*255):t[n]=gr(t[n]);return{data:t,width:e.width,height:e.height}}else return console.warn("THREE.ImageUtils.sRGBToLinear(): Unsupported image type. No color space conversion applied."),e}}let gg=0;class pd{constructor(e=null){this.isSource=!0,Object.defineProperty(this,"id",{value:gg++}),this.uuid=la(),this.data=e,this.dataReady=!0,this.version=0}set needsUpdate(e){e===!0&&this.version++}toJSON(e){const t=e===void 0||typeof e=="string";if(!t&&e.images[this.uuid]!==void 0)return e.images[this.uuid];const n={uuid:this.uuid,url:""},s=this.data;if(s!==null){let r;if(Array.isArray(s)){r=[];for(let a=0,o=s.length;a<o;a++)s[a].isDataTexture?r.push(Qo(s[a].image)):r.push(Qo(s[a]))}else r=Qo(s);n.url=r}return t||(e.images[this.uuid]=n),n}}function Qo(i){return typeof HTMLImageElement<"u"&&i instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&i instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&i instanceof ImageBitmap?mg.getDataURL(i):i.data?{data:Array.from(i.data),width:i.width,height:i.height,type:i.data.constructor.name}:(console.warn("THREE.Texture: Unable to serialize Texture."),{})}let _g=0;class Tn extends Ps{constructor(e=Tn.DEFAULT_IMAGE,t=Tn.DEFAULT_MAPPING,n=Es,s=Es,r=hi,a=bs,o=yi,l=ss,c=Tn.DEFAULT_ANISOTROPY,u=Qi){super(),this.isTexture=!0,Object.defineProperty(this,"id",{value:_g++}),this.uuid=la(),this.name="",this.source=new pd(e),this.mipmaps=[],this.mapping=t,this.channel=0,this.wrapS=n,this.wrapT=s,this.magFilter=r,this.minFilter=a,this.anisotropy=c,this.format=o,this.internalFormat=null,this.type=l,this.offset=new ze(0,0),this.repeat=new ze(1,1),this.center=new ze(0,0),this.rotation=0,this.matrixAutoUpdate=!0,this.matrix=new rt,this.generateMipmaps=!0,this.premultiplyAlpha=!1,this.flipY=!0,this.unpackAlignment=4,this.colorSpace=u,this.userData={},this.version=0,this.onUpdate=null,this.isRenderTargetTexture=!1,this.pmremVersion=0}get image(){return this.source.data}set image(e=null){this.source.data=e}updateMatrix(){this.matrix.setUvTransform(this.offset.x,this.offset.y,this.repeat.x,this.repeat.y,this.rotation,this.center.x,this.center.y)}clone(){return new this.constructor().copy(this)}copy(e){return this.name=e.name,this.source=e.source,this.mipmaps=e.mipmaps.slice(0),this.mapping=e.mapping,this.channel=e.channel,this.wrapS=e.wrapS,this.wrapT=e.wrapT,this.magFilter=e.magFilter,this.minFilter=e.minFilter,this.anisotropy=e.anisotropy,this.format=e.format,this.internalFormat=e.internalFormat,this.type=e.type,this.offset.copy(e.offset),this.repeat.copy(e.repeat),this.center.copy(e.center),this.rotation=e.rotation,this.matrixAutoUpdate=e.matrixAutoUpdate,this.matrix.copy(e.matrix),this.generateMipmaps=e.generateMipmaps,this.premultiplyAlpha=e.premultiplyAlpha,this.flipY=e.flipY,this.unpackAlignment=e.unpackAlignment,this.colorSpace=e.colorSpace,this.userData=JSON.parse(JSON.stringify(e.userData)),this.needsUpdate=!0,this}toJSON(e){const t=e===void 0||typeof e=="string";if(!t&&e.textures[this.uuid]!==void 0)return e.textures[this.uuid];const n={metadata:{version:4.6,type:"Texture",generator:"Texture.toJSON"},uuid:this.uuid,name:this.name,image:this.source.toJSON(e).uuid,mapping:this.mapping,channel:this.channel,repeat:[this.repeat.x,this.repeat.y],offset:[this.offset.x,this.offset.y],center:[this.center.x,this.center.y],rotation:this.rotation,wrap:[this.wrapS,this.wrapT],format:this.format,internalFormat:this.internalFormat,type:this.type,colorSpace:this.colorSpace,minFilter:this.minFilter,magFilter:this.magFilter,anisotropy:this.anisotropy,flipY:this.flipY,generateMipmaps:this.generateMipmaps,premultiplyAlpha:this.premultiplyAlpha,unpackAlignment:this.unpackAlignment};return Object.keys(this.userData).length>0&&(n.userData=this.userData),t||(e.textures[this.uuid]=n),n}dispose(){this.dispatchEvent({type:"dispose"})}transformUv(e){if(this.mapping!==sd)return e;if(e.applyMatrix3(this.matrix),e.x<0||e.x>1)switch(this.wrapS){case Yl:e.x=e.x-Math.floor(e.x);break;case Es:e.x=e.x<0?0:1;break;case ql:Math.abs(Math.floor(e.x)%2)===1?e.x=Math.ceil(e.x)-e.x:e.x=e.x-Math.floor(e.x);break}if(e.y<0||e.y>1)switch(this.wrapT){case Yl:e.y=e.y-Math.floor(e.y);break;case Es:e.y=e.y<0?0:1;break;case ql:Math.abs(Math.floor(e.y)%2)===1?e.y=Math.ceil(e.y)-e.y:e.y=e.y-Math.floor(e.y);break}return this.flipY&&(e.y=1-e.y),e}set needsUpdate(e){e===!0&&(this.version++,this.source.needsUpdate=!0)}set needsPMREMUpdate(e){e===!0&&this.pmremVersion++}}Tn.DEFAULT_IMAGE=null;Tn.DEFAULT_MAPPING=sd;Tn.DEFAULT_ANISOTROPY=1;class fn{constructor(e=0,t=0,n=0,s=1){fn.prototype.isVector4=!0,this.x=e,this.y=t,this.z=n,this.w=s}get width(){return this.z}set width(e){this.z=e}get height(){return this.w}set height(e){this.w=e}set(e,t,n,s){return this.x=e,this.y=t,this.z=n,this.w=s,this}setScalar(e){return this.x=e,this.y=e,this.z=e,this.w=e,this}setX(e){return this.x=e,this}setY(e){return this.y=e,this}setZ(e){return this.z=e,this}setW(e){return this.w=e,this}setComponent(e,t){switch(e){case 0:this.x=t;break;case 1:this.y=t;break;case 2:this.z=t;break;case 3:this.w=t;break;default:throw new Error("index is out of range: "+e)}return this}getComponent(e){switch(e){case 0:return this.x;case 1:return this.y;case 2:return this.z;case 3:return this.w;default:throw new Error("index is out of range: "+e)}}clone(){return new this.constructor(this.x,this.y,this.z,this.w)}copy(e){return this.x=e.x,this.y=e.y,this.z=e.z,this.w=e.w!==void 0?e.w:1,this}add(e){return this.x+=e.x,this.y+=e.y,this.z+=e.z,this.w+=e.w,this}addScalar(e){return this.x+=e,this.y+=e,this.z+=e,this.w+=e,this}addVectors(e,t){return this.x=e.x+t.x,this.y=e.y+t.y,this.z=e.z+t.z,this.w=e.w+t.w,this}addScaledVector(e,t){return this.x+=e.x*t,this.y+=e.y*t,this.z+=e.z*t,this.w+=e.w*t,this}sub(e){return this.x-=e.x,this.y-=e.y,this.z-=e.z,this.w-=e.w,this}subScalar(e){return this.x-=e,this.y-=e,this.z-=e,this.w-=e,this}subVectors(e,t){return this.x=e.x-t.x,this.y=e.y-t.y,this.z=e.z-t.z,this.w=e.w-t.w,this}multiply(e){return this.x*=e.x,this.y*=e.y,this.z*=e.z,this.w*=e.w,this}multiplyScalar(e){return this.x*=e,this.y*=e,this.z*=e,this.w*=e,this}applyMatrix4(e){const t=this.x,n=this.y,s=this.z,r=this.w,a=e.elements;return this.x=a[0]*t+a[4]*n+a[8]*s+a[12]*r,this.y=a[1]*t+a[5]*n+a[9]*s+a[13]*r,this.z=a[2]*t+a[6]*n+a[10]*s+a[14]*r,this.w=a[3]*t+a[7]*n+a[11]*s+a[15]*r,this}divideScalar(e){return this.multiplyScalar(1/e)}setAxisAngleFromQuaternion(e){this.w=2*Math.acos(e.w);const t=Math.sqrt(1-e.w*e.w);return t<1e-4?(this.x=1,this.y=0,this.z=0):(this.x=e.x/t,this.y=e.y/t,this.z=e.z/t),this}setAxisAngleFromRotationMatrix(e){let t,n,s,r;const l=e.elements,c=l[0],u=l[4],h=l[8],f=l[1],p=l[5],_=l[9],x=l[2],m=l[6],d=l[10];if(Math.abs(u-f)<.01&&Math.abs(h-x)<.01&&Math.abs(_-m)<.01){if(Math.abs(u+f)<.1&&Math.abs(h+x)<.1&&Math.abs(_+m)<.1&&Math.abs(c+p+d-3)<.1)return this.set(1,0,0,0),this;t=Math.PI;const M=(c+1)/2,w=(p+1)/2,V=(d+1)/2,T=(u+f)/4,C=(h+x)/4,N=(_+m)/4;return M>w&&M>V?M<.01?(n=0,s=.707106781,r=.707106781):(n=Math.sqrt(M),s=T/n,r=C/n):w>V?w<.01?(n=.707106781,s=0,r=.707106781):(s=Math.sqrt(w),n=T/s,r=N/s):V<.01?(n=.707106781,s=.707106781,r=0):(r=Math.sqrt(V),n=C/r,s=N/r),this.set(n,s,r,t),this}let y=Math.sqrt((m-_)*(m-_)+(h-x)*(h-x)+(f-u)*(f-u));return Math.abs(y)<.001&&(y=1),this.x=(m-_)/y,this.y=(h-x)/y,this.z=(f-u)/y,this.w=Math.acos((c+p+d-1)/2),this}min(e){return this.x=Math.min(this.x,e.x),this.y=Math.min(this.y,e.y),this.z=Math.min(this.z,e.z),this.w=Math.min(this.w,e.w),this}max(e){return this.x=Math.max(this.x,e.x),this.y=Math.max(this.y,e.y),this.z=Math.max(this.z,e.z),this.w=Math.max(this.w,e.w),this}clamp(e,t){return this.x=Math.max(e.x,Math.min(t.x,this.x)),this.y=Math.max(e.y,Math.min(t.y,this.y)),this.z=Math.max(e.z,Math.min(t.z,this.z)),this.w=Math.max(e.w,Math.min(t.w,this.w)),this}clampScalar(e,t){return this.x=Math.max(e,Math.min(t,this.x)),this.y=Math.max(e,Math.min(t,this.y)),this.z=Math.max(e,Math.min(t,this.z)),this.w=Math.max(e,Math.min(t,this.w)),this}clampLength(e,t){const n=this.length();return this.divideScalar(n||1).multiplyScalar(Math.max(e,Math.min(t,n)))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this.z=Math.floor(this.z),this.w=Math.floor(this.w),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this.z=Math.ceil(this.z),this.w=Math.ceil(this.w),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this.z=Math.round(this.z),this.w=Math.round(this.w),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this.z=Math.trunc(this.z),this.w=Math.trunc(this.w),this}negate(){return this.x=-this.x,this.y=-this.y,this.z=-this.z,this.w=-this.w,this}dot(e){return this.x*e.x+this.y*e.y+this.z*e.z+this.w*e.w}lengthSq(){return this.x*this.x+this.y*this.y+this.z*this.z+this.w*this.w}length(){return Math.sqrt(this.x*this.x+this.y*this.y+this.z*this.z+this.w*this.w)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)+Math.abs(this.z)+Math.abs(this.w)}normalize(){return this.divideScalar(this.length()||1)}setLength(e){return this.normalize().multiplyScalar(e)}lerp(e,t){return this.x+=(e.x-this.x)*t,this.y+=(e.y-this.y)*t,this.z+=(e.z-this.z)*t,this.w+=(e.w-this.w)*t,this}lerpVectors(e,t,n){return this.x=e.x+(t.x-e.x)*n,this.y=e.y+(t.y-e.y)*n,this.z=e.z+(t.z-e.z)*n,this.w=e.w+(t.w-e.w)*n,this}equals(e){return e.x===this.x&&e.y===this.y&&e.z===this.z&&e.w===this.w}fromArray(e,t=0){return this.x=e[t],this.y=e[t+1],this.z=e[t+2],this.w=e[t+3],this}toArray(e=[],t=0){return e[t]=this.x,e[t+1]=this.y,e[t+2]=this.z,e[t+3]=this.w,e}fromBufferAttribute(e,t){return this.x=e.getX(t),this.y=e.getY(t),this.z=e.getZ(t),this.w=e.getW(t),this}random(){return this.x=Math.random(),this.y=Math.random(),this.z=Math.random(),this.w=Math.random(),this}*[Symbol.iterator](){yield this.x,yield this.y,yield this.z,yield this.w}}class vg extends Ps{constructor(e=1,t=1,n={}){super(),this.isRenderTarget=!0,this.width=e,this.height=t,this.depth=1,this.scissor=new fn(0,0,e,t),this.scissorTest=!1,this.viewport=new fn(0,0,e,t);const s={width:e,height:t,depth:1};n=Object.assign({generateMipmaps:!1,internalFormat:null,minFilter:hi,depthBuffer:!0,stencilBuffer:!1,resolveDepthBuffer:!0,resolveStencilBuffer:!0,depthTexture:null,samples:0,count:1},n);const r=new Tn(s,n.mapping,n.wrapS,n.wrapT,n.magFilter,n.minFilter,n.format,n.type,n.anisotropy,n.colorSpace);r.flipY=!1,r.generateMipmaps=n.generateMipmaps,r.internalFormat=n.internalFormat,this.textures=[];const a=n.count;for(let o=0;o<a;o++)this.textures[o]=r.clone(),this.textures[o].isRenderTargetTexture=!0;this.depthBuffer=n.depthBuffer,this.stencilBuffer=n.stencilBuffer,this.resolveDepthBuffer=n.resolveDepthBuffer,this.resolveStencilBuffer=n.resolveStencilBuffer,this.depthTexture=n.depthTexture,this.samples=n.samples}get texture(){return this.textures[0]}set texture(e){this.textures[0]=e}setSize(e,t,n=1){if(this.width!==e||this.height!==t||this.depth!==n){this.width=e,this.height=t,this.depth=n;for(let s=0,r=this.textures.length;s<r;s++)this.textures[s].image.width=e,this.textures[s].image.height=t,this.textures[s].image.depth=n;this.dispose()}this.viewport.set(0,0,e,t),this.scissor.set(0,0,e,t)}clone(){return new this.constructor().copy(this)}copy(e){this.width=e.width,this.height=e.height,this.depth=e.depth,this.scissor.copy(e.scissor),this.scissorTest=e.scissorTest,this.viewport.copy(e.viewport),this.textures.length=0;for(let n=0,s=e.textures.length;n<s;n++)this.textures[n]=e.textures[n].clone(),this.textures[n].isRenderTargetTexture=!0;const t=Object.assign({},e.texture.image);return this.texture.source=new pd(t),this.depthBuffer=e.depthBuffer,this.stencilBuffer=e.stencilBuffer,this.resolveDepthBuffer=e.resolveDepthBuffer,this.resolveStencilBuffer=e.resolveStencilBuffer,e.depthTexture!==null&&(this.depthTexture=e.depthTexture.clone()),this.samples=e.samples,this}dispose(){this.dispatchEvent({type:"dispose"})}}class As extends vg{constructor(e=1,t=1,n={}){super(e,t,n),this.isWebGLRenderTarget=!0}}class md extends Tn{constructor(e=null,t=1,n=1,s=1){super(null),this.isDataArrayTexture=!0,this.image={data:e,width:t,height:n,depth:s},this.magFilter=Ln,this.minFilter=Ln,this.wrapR=Es,this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1}}class xg extends Tn{constructor(e=null,t=1,n=1,s=1){super(null),this.isData3DTexture=!0,this.image={data:e,width:t,height:n,depth:s},this.magFilter=Ln,this.minFilter=Ln,this.wrapR=Es,this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1}}class Rs{constructor(e=0,t=0,n=0,s=1){this.isQuaternion=!0,this._x=e,this._y=t,this._z=n,this._w=s}static slerpFlat(e,t,n,s,r,a,o){let l=n[s+0],c=n[s+1],u=n[s+2],h=n[s+3];const f=r[a+0],p=r[a+1],_=r[a+2],x=r[a+3];if(o===0){e[t+0]=l,e[t+1]=c,e[t+2]=u,e[t+3]=h;return}if(o===1){e[t+0]=f,e[t+1]=p,e[t+2]=_,e[t+3]=x;return}if(h!==x||l!==f||c!==p||u!==_){let m=1-o;const d=l*f+c*p+u*_+h*x,y=d>=0?1:-1,M=1-d*d;if(M>Number.EPSILON){const V=Math.sqrt(M),T=Math.atan2(V,d*y);m=Math.sin(m*T)/V,o=Math.sin(o*T)/V}const w=o*y;if(l=l*m+f*w,c=c*m+p*w,u=u*m+_*w,h=h*m+x*w,m===1-o){const V=1/Math.sqrt(l*l+c*c+u*u+h*h);l*=V,c*=V,u*=V,h*=V}}e[t]=l,e[t+1]=c,e[t+2]=u,e[t+3]=h}static multiplyQuaternionsFlat(e,t,n,s,r,a){const o=n[s],l=n[s+1],c=n[s+2],u=n[s+3],h=r[a],f=r[a+1],p=r[a+2],_=r[a+3];return e[t]=o*_+u*h+l*p-c*f,e[t+1]=l*_+u*f+c*h-o*p,e[t+2]=c*_+u*p+o*f-l*h,e[t+3]=u*_-o*h-l*f-c*p,e}get x(){return this._x}set x(e){this._x=e,this._onChangeCallback()}get y(){return this._y}set y(e){this._y=e,this._onChangeCallback()}get z(){return this._z}set z(e){this._z=e,this._onChangeCallback()}get w(){return this._w}set w(e){this._w=e,this._onChangeCallback()}set(e,t,n,s){return this._x=e,this._y=t,this._z=n,this._w=s,this._onChangeCallback(),this}clone(){return new this.constructor(this._x,this._y,this._z,this._w)}copy(e){return this._x=e.x,this._y=e.y,this._z=e.z,this._w=e.w,this._onChangeCallback(),this}setFromEuler(e,t=!0){const n=e._x,s=e._y,r=e._z,a=e._order,o=Math.cos,l=Math.sin,c=o(n/2),u=o(s/2),h=o(r/2),f=l(n/2),p=l(s/2),_=l(r/2);switch(a){case"XYZ":this._x=f*u*h+c*p*_,this._y=c*p*h-f*u*_,this._z=c*u*_+f*p*h,this._w=c*u*h-f*p*_;break;case"YXZ":this._x=f*u*h+c*p*_,this._y=c*p*h-f*u*_,this._z=c*u*_-f*p*h,this._w=c*u*h+f*p*_;break;case"ZXY":this._x=f*u*h-c*p*_,this._y=c*p*h+f*u*_,this._z=c*u*_+f*p*h,this._w=c*u*h-f*p*_;break;case"ZYX":this._x=f*u*h-c*p*_,this._y=c*p*h+f*u*_,this._z=c*u*_-f*p*h,this._w=c*u*h+f*p*_;break;case"YZX":this._x=f*u*h+c*p*_,this._y=c*p*h+f*u*_,this._z=c*u*_-f*p*h,this._w=c*u*h-f*p*_;break;case"XZY":this._x=f*u*h-c*p*_,this._y=c*p*h-f*u*_,this._z=c*u*_+f*p*h,this._w=c*u*h+f*p*_;break;default:console.warn("THREE.Quaternion: .setFromEuler() encountered an unknown order: "+a)}return t===!0&&this._onChangeCallback(),this}setFromAxisAngle(e,t){const n=t/2,s=Math.sin(n);return this._x=e.x*s,this._y=e.y*s,this._z=e.z*s,this._w=Math.cos(n),this._onChangeCallback(),this}setFromRotationMatrix(e){const t=e.elements,n=t[0],s=t[4],r=t[8],a=t[1],o=t[5],l=t[9],c=t[2],u=t[6],h=t[10],f=n+o+h;if(f>0){const p=.5/Math.sqrt(f+1);this._w=.25/p,this._x=(u-l)*p,this._y=(r-c)*p,this._z=(a-s)*p}else if(n>o&&n>h){const p=2*Math.sqrt(1+n-o-h);this._w=(u-l)/p,this._x=.25*p,this._y=(s+a)/p,this._z=(r+c)/p}else if(o>h){const p=2*Math.sqrt(1+o-n-h);this._w=(r-c)/p,this._x=(s+a)/p,this._y=.25*p,this._z=(l+u)/p}else{const p=2*Math.sqrt(1+h-n-o);this._w=(a-s)/p,this._x=(r+c)/p,this._y=(l+u)/p,this._z=.25*p}return this._onChangeCallback(),this}setFromUnitVectors(e,t){let n=e.dot(t)+1;return n<Number.EPSILON?(n=0,Math.abs(e.x)>Math.abs(e.z)?(this._x=-e.y,this._y=e.x,this._z=0,this._w=n):(this._x=0,this._y=-e.z,this._z=e.y,this._w=n)):(this._x=e.y*t.z-e.z*t.y,this._y=e.z*t.x-e.x*t.z,this._z=e.x*t.y-e.y*t.x,this._w=n),this.normalize()}angleTo(e){return 2*Math.acos(Math.abs(hn(this.dot(e),-1,1)))}rotateTowards(e,t){const n=this.angleTo(e);if(n===0)return this;const s=Math.min(1,t/n);return this.slerp(e,s),this}identity(){return this.set(0,0,0,1)}invert(){return this.conjugate()}conjugate(){return this._x*=-1,this._y*=-1,this._z*=-1,this._onChangeCallback(),this}dot(e){return this._x*e._x+this._y*e._y+this._z*e._z+this._w*e._w}lengthSq(){return this._x*this._x+this._y*this._y+this._z*this._z+this._w*this._w}length(){return Math.sqrt(this._x*this._x+this._y*this._y+this._z*this._z+this._w*this._w)}normalize(){let e=this.length();return e===0?(this._x=0,this._y=0,this._z=0,this._w=1):(e=1/e,this._x=this._x*e,this._y=this._y*e,this._z=this._z*e,this._w=this._w*e),this._onChangeCallback(),this}multiply(e){return this.multiplyQuaternions(this,e)}premultiply(e){return this.multiplyQuaternions(e,this)}multiplyQuaternions(e,t){const n=e._x,s=e._y,r=e._z,a=e._w,o=t._x,l=t._y,c=t._z,u=t._w;return this._x=n*u+a*o+s*c-r*l,this._y=s*u+a*l+r*o-n*c,this._z=r*u+a*c+n*l-s*o,this._w=a*u-n*o-s*l-r*c,this._onChangeCallback(),this}slerp(e,t){if(t===0)return this;if(t===1)return this.copy(e);const n=this._x,s=this._y,r=this._z,a=this._w;let o=a*e._w+n*e._x+s*e._y+r*e._z;if(o<0?(this._w=-e._w,this._x=-e._x,this._y=-e._y,this._z=-e._z,o=-o):this.copy(e),o>=1)return this._w=a,this._x=n,this._y=s,this._z=r,this;const l=1-o*o;if(l<=Number.EPSILON){const p=1-t;return this._w=p*a+t*this._w,this._x=p*n+t*this._x,this._y=p*s+t*this._y,this._z=p*r+t*this._z,this.normalize(),this}const c=Math.sqrt(l),u=Math.atan2(c,o),h=Math.sin((1-t)*u)/c,f=Math.sin(t*u)/c;return this._w=a*h+this._w*f,this._x=n*h+this._x*f,this._y=s*h+this._y*f,this._z=r*h+this._z*f,this._onChangeCallback(),this}slerpQuaternions(e,t,n){return this.copy(e).slerp(t,n)}random(){const e=2*Math.PI*Math.random(),t=2*Math.PI*Math.random(),n=Math.random(),s=Math.sqrt(1-n),r=Math.sqrt(n);return this.set(s*Math.sin(e),s*Math.cos(e),r*Math.sin(t),r*Math.cos(t))}equals(e){return e._x===this._x&&e._y===this._y&&e._z===this._z&&e._w===this._w}fromArray(e,t=0){return this._x=e[t],this._y=e[t+1],this._z=e[t+2],this._w=e[t+3],this._onChangeCallback(),this}toArray(e=[],t=0){return e[t]=this._x,e[t+1]=this._y,e[t+2]=this._z,e[t+3]=this._w,e}fromBufferAttribute(e,t){return this._x=e.getX(t),this._y=e.getY(t),this._z=e.getZ(t),this._w=e.getW(t),this._onChangeCallback(),this}toJSON(){return this.toArray()}_onChange(e){return this._onChangeCallback=e,this}_onChangeCallback(){}*[Symbol.iterator](){yield this._x,yield this._y,yield this._z,yield this._w}}class Y{constructor(e=0,t=0,n=0){Y.prototype.isVector3=!0,this.x=e,this.y=t,this.z=n}set(e,t,n){return n===void 0&&(n=this.z),this.x=e,this.y=t,this.z=n,this}setScalar(e){return this.x=e,this.y=e,this.z=e,this}setX(e){return this.x=e,this}setY(e){return this.y=e,this}setZ(e){return this.z=e,this}setComponent(e,t){switch(e){case 0:this.x=t;break;case 1:this.y=t;break;case 2:this.z=t;break;default:throw new Error("index is out of range: "+e)}return this}getComponent(e){switch(e){case 0:return this.x;case 1:return this.y;case 2:return this.z;default:throw new Error("index is out of range: "+e)}}clone(){return new this.constructor(this.x,this.y,this.z)}copy(e){return this.x=e.x,this.y=e.y,this.z=e.z,this}add(e){return this.x+=e.x,this.y+=e.y,this.z+=e.z,this}addScalar(e){return this.x+=e,this.y+=e,this.z+=e,this}addVectors(e,t){return this.x=e.x+t.x,this.y=e.y+t.y,this.z=e.z+t.z,this}addScaledVector(e,t){return this.x+=e.x*t,this.y+=e.y*t,this.z+=e.z*t,this}sub(e){return this.x-=e.x,this.y-=e.y,this.z-=e.z,this}subScalar(e){return this.x-=e,this.y-=e,this.z-=e,this}subVectors(e,t){return this.x=e.x-t.x,this.y=e.y-t.y,this.z=e.z-t.z,this}multiply(e){return this.x*=e.x,this.y*=e.y,this.z*=e.z,this}multiplyScalar(e){return this.x*=e,this.y*=e,this.z*=e,this}multiplyVectors(e,t){return this.x=e.x*t.x,this.y=e.y*t.y,this.z=e.z*t.z,this}applyEuler(e){return this.applyQuaternion(Yu.setFromEuler(e))}applyAxisAngle(e,t){return this.applyQuaternion(Yu.setFromAxisAngle(e,t))}applyMatrix3(e){const t=this.x,n=this.y,s=this.z,r=e.elements;return this.x=r[0]*t+r[3]*n+r[6]*s,this.y=r[1]*t+r[4]*n+r[7]*s,this.z=r[2]*t+r[5]*n+r[8]*s,this}applyNormalMatrix(e){return this.applyMatrix3(e).normalize()}applyMatrix4(e){const t=this.x,n=this.y,s=this.z,r=e.elements,a=1/(r[3]*t+r[7]*n+r[11]*s+r[15]);return this.x=(r[0]*t+r[4]*n+r[8]*s+r[12])*a,this.y=(r[1]*t+r[5]*n+r[9]*s+r[13])*a,this.z=(r[2]*t+r[6]*n+r[10]*s+r[14])*a,this}applyQuaternion(e){const t=this.x,n=this.y,s=this.z,r=e.x,a=e.y,o=e.z,l=e.w,c=2*(a*s-o*n),u=2*(o*t-r*s),h=2*(r*n-a*t);return this.x=t+l*c+a*h-o*u,this.y=n+l*u+o*c-r*h,this.z=s+l*h+r*u-a*c,this}project(e){return this.applyMatrix4(e.matrixWorldInverse).applyMatrix4(e.projectionMatrix)}unproject(e){return this.applyMatrix4(e.projectionMatrixInverse).applyMatrix4(e.matrixWorld)}transformDirection(e){const t=this.x,n=this.y,s=this.z,r=e.elements;return this.x=r[0]*t+r[4]*n+r[8]*s,this.y=r[1]*t+r[5]*n+r[9]*s,this.z=r[2]*t+r[6]*n+r[10]*s,this.normalize()}divide(e){return this.x/=e.x,this.y/=e.y,this.z/=e.z,this}divideScalar(e){return this.multiplyScalar(1/e)}min(e){return this.x=Math.min(this.x,e.x),this.y=Math.min(this.y,e.y),this.z=Math.min(this.z,e.z),this}max(e){return this.x=Math.max(this.x,e.x),this.y=Math.max(this.y,e.y),this.z=Math.max(this.z,e.z),this}clamp(e,t){return this.x=Math.max(e.x,Math.min(t.x,this.x)),this.y=Math.max(e.y,Math.min(t.y,this.y)),this.z=Math.max(e.z,Math.min(t.z,this.z)),this}clampScalar(e,t){return this.x=Math.max(e,Math.min(t,this.x)),this.y=Math.max(e,Math.min(t,this.y)),this.z=Math.max(e,Math.min(t,this.z)),this}clampLength(e,t){const n=this.length();return this.divideScalar(n||1).multiplyScalar(Math.max(e,Math.min(t,n)))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this.z=Math.floor(this.z),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this.z=Math.ceil(this.z),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this.z=Math.round(this.z),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this.z=Math.trunc(this.z),this}negate(){return this.x=-this.x,this.y=-this.y,this.z=-this.z,this}dot(e){return this.x*e.x+this.y*e.y+this.z*e.z}lengthSq(){return this.x*this.x+this.y*this.y+this.z*this.z}length(){return Math.sqrt(this.x*this.x+this.y*this.y+this.z*this.z)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)+Math.abs(this.z)}normalize(){return this.divideScalar(this.length()||1)}setLength(e){return this.normalize().multiplyScalar(e)}lerp(e,t){return this.x+=(e.x-this.x)*t,this.y+=(e.y-this.y)*t,this.z+=(e.z-this.z)*t,this}lerpVectors(e,t,n){return this.x=e.x+(t.x-e.x)*n,this.y=e.y+(t.y-e.y)*n,this.z=e.z+(t.z-e.z)*n,this}cross(e){return this.crossVectors(this,e)}crossVectors(e,t){const n=e.x,s=e.y,r=e.z,a=t.x,o=t.y,l=t.z;return this.x=s*l-r*o,this.y=r*a-n*l,this.z=n*o-s*a,this}projectOnVector(e){const t=e.lengthSq();if(t===0)return this.set(0,0,0);const n=e.dot(this)/t;return this.copy(e).multiplyScalar(n)}projectOnPlane(e){return el.copy(this).projectOnVector(e),this.sub(el)}reflect(e){return this.sub(el.copy(e).multiplyScalar(2*this.dot(e)))}angleTo(e){const t=Math.sqrt(this.lengthSq()*e.lengthSq());if(t===0)return Math.PI/2;const n=this.dot(e)/t;return Math.acos(hn(n,-1,1))}distanceTo(e){return Math.sqrt(this.distanceToSquared(e))}distanceToSquared(e){const t=this.x-e.x,n=this.y-e.y,s=this.z-e.z;return t*t+n*n+s*s}manhattanDistanceTo(e){return Math.abs(this.x-e.x)+Math.abs(this.y-e.y)+Math.abs(this.z-e.z)}setFromSpherical(e){return this.setFromSphericalCoords(e.radius,e.phi,e.theta)}setFromSphericalCoords(e,t,n){const s=Math.sin(t)*e;return this.x=s*Math.sin(n),this.y=Math.cos(t)*e,this.z=s*Math.cos(n),this}setFromCylindrical(e){return this.setFromCylindricalCoords(e.radius,e.theta,e.y)}setFromCylindricalCoords(e,t,n){return this.x=e*Math.sin(t),this.y=n,this.z=e*Math.cos(t),this}setFromMatrixPosition(e){const t=e.elements;return this.x=t[12],this.y=t[13],this.z=t[14],this}setFromMatrixScale(e){const t=this.setFromMatrixColumn(e,0).length(),n=this.setFromMatrixColumn(e,1).length(),s=this.setFromMatrixColumn(e,2).length();return this.x=t,this.y=n,this.z=s,this}setFromMatrixColumn(e,t){return this.fromArray(e.elements,t*4)}setFromMatrix3Column(e,t){return this.fromArray(e.elements,t*3)}setFromEuler(e){return this.x=e._x,this.y=e._y,this.z=e._z,this}setFromColor(e){return this.x=e.r,this.y=e.g,this.z=e.b,this}equals(e){return e.x===this.x&&e.y===this.y&&e.z===this.z}fromArray(e,t=0){return this.x=e[t],this.y=e[t+1],this.z=e[t+2],this}toArray(e=[],t=0){return e[t]=this.x,e[t+1]=this.y,e[t+2]=this.z,e}fromBufferAttribute(e,t){return this.x=e.getX(t),this.y=e.getY(t),this.z=e.getZ(t),this}random(){return this.x=Math.random(),this.y=Math.random(),this.z=Math.random(),this}randomDirection(){const e=Math.random()*Math.PI*2,t=Math.random()*2-1,n=Math.sqrt(1-t*t);return this.x=n*Math.cos(e),this.y=t,this.z=n*Math.sin(e),this}*[Symbol.iterator](){yield this.x,yield this.y,yield this.z}}const el=new Y,Yu=new Rs;class ca{constructor(e=new Y(1/0,1/0,1/0),t=new Y(-1/0,-1/0,-1/0)){this.isBox3=!0,this.min=e,this.max=t}set(e,t){return this.min.copy(e),this.max.copy(t),this}setFromArray(e){this.makeEmpty();for(let t=0,n=e.length;t<n;t+=3)this.expandByPoint(si.fromArray(e,t));return this}setFromBufferAttribute(e){this.makeEmpty();for(let t=0,n=e.count;t<n;t++)this.expandByPoint(si.fromBufferAttribute(e,t));return this}setFromPoints(e){this.makeEmpty();for(let t=0,n=e.length;t<n;t++)this.expandByPoint(e[t]);return this}setFromCenterAndSize(e,t){const n=si.copy(t).multiplyScalar(.5);return this.min.copy(e).sub(n),this.max.copy(e).add(n),this}setFromObject(e,t=!1){return this.makeEmpty(),this.expandByObject(e,t)}clone(){return new this.constructor().copy(this)}copy(e){return this.min.copy(e.min),this.max.copy(e.max),this}makeEmpty(){return this.min.x=this.min.y=this.min.z=1/0,this.max.x=this.max.y=this.max.z=-1/0,this}isEmpty(){return this.max.x<this.min.x||this.max.y<this.min.y||this.max.z<this.min.z}getCenter(e){return this.isEmpty()?e.set(0,0,0):e.addVectors(this.min,this.max).multiplyScalar(.5)}getSize(e){return this.isEmpty()?e.set(0,0,0):e.subVectors(this.max,this.min)}expandByPoint(e){return this.min.min(e),this.max.max(e),this}expandByVector(e){return this.min.sub(e),this.max.add(e),this}expandByScalar(e){return this.min.addScalar(-e),this.max.addScalar(e),this}expandByObject(e,t=!1){e.updateWorldMatrix(!1,!1);const n=e.geometry;if(n!==void 0){const r=n.getAttribute("position");if(t===!0&&r!==void 0&&e.isInstancedMesh!==!0)for(let a=0,o=r.count;a<o;a++)e.isMesh===!0?e.getVertexPosition(a,si):si.fromBufferAttribute(r,a),si.applyMatrix4(e.matrixWorld),this.expandByPoint(si);else e.boundingBox!==void 0?(e.boundingBox===null&&e.computeBoundingBox(),Ma.copy(e.boundingBox)):(n.boundingBox===null&&n.computeBoundingBox(),Ma.copy(n.boundingBox)),Ma.applyMatrix4(e.matrixWorld),this.union(Ma)}const s=e.children;for(let r=0,a=s.length;r<a;r++)this.expandByObject(s[r],t);return this}containsPoint(e){return!(e.x<this.min.x||e.x>this.max.x||e.y<this.min.y||e.y>this.max.y||e.z<this.min.z||e.z>this.max.z)}containsBox(e){return this.min.x<=e.min.x&&e.max.x<=this.max.x&&this.min.y<=e.min.y&&e.max.y<=this.max.y&&this.min.z<=e.min.z&&e.max.z<=this.max.z}getParameter(e,t){return t.set((e.x-this.min.x)/(this.max.x-this.min.x),(e.y-this.min.y)/(this.max.y-this.min.y),(e.z-this.min.z)/(this.max.z-this.min.z))}intersectsBox(e){return!(e.max.x<this.min.x||e.min.x>this.max.x||e.max.y<this.min.y||e.min.y>this.max.y||e.max.z<this.min.z||e.min.z>this.max.z)}intersectsSphere(e){return this.clampPoint(e.center,si),si.distanceToSquared(e.center)<=e.radius*e.radius}intersectsPlane(e){let t,n;return e.normal.x>0?(t=e.normal.x*this.min.x,n=e.normal.x*this.max.x):(t=e.normal.x*this.max.x,n=e.normal.x*this.min.x),e.normal.y>0?(t+=e.normal.y*this.min.y,n+=e.normal.y*this.max.y):(t+=e.normal.y*this.max.y,n+=e.normal.y*this.min.y),e.normal.z>0?(t+=e.normal.z*this.min.z,n+=e.normal.z*this.max.z):(t+=e.normal.z*this.max.z,n+=e.normal.z*this.min.z),t<=-e.constant&&n>=-e.constant}intersectsTriangle(e){if(this.isEmpty())return!1;this.getCenter(zr),Sa.subVectors(this.max,zr),qs.subVectors(e.a,zr),js.subVectors(e.b,zr),Ks.subVectors(e.c,zr),Wi.subVectors(js,qs),$i.subVectors(Ks,js),cs.subVectors(qs,Ks);let t=[0,-Wi.z,Wi.y,0,-$i.z,$i.y,0,-cs.z,cs.y,Wi.z,0,-Wi.x,$i.z,0,-$i.x,cs.z,0,-cs.x,-Wi.y,Wi.x,0,-$i.y,$i.x,0,-cs.y,cs.x,0];return!tl(t,qs,js,Ks,Sa)||(t=[1,0,0,0,1,0,0,0,1],!tl(t,qs,js,Ks,Sa))?!1:(ya.crossVectors(Wi,$i),t=[ya.x,ya.y,ya.z],tl(t,qs,js,Ks,Sa))}clampPoint(e,t){return t.copy(e).clamp(this.min,this.max)}distanceToPoint(e){return this.clampPoint(e,si).distanceTo(e)}getBoundingSphere(e){return this.isEmpty()?e.makeEmpty():(this.getCenter(e.center),e.radius=this.getSize(si).length()*.5),e}intersect(e){return this.min.max(e.min),this.max.min(e.max),this.isEmpty()&&this.makeEmpty(),this}union(e){return this.min.min(e.min),this.max.max(e.max),this}applyMatrix4(e){return this.isEmpty()?this:(Ai[0].set(this.min.x,this.min.y,this.min.z).applyMatrix4(e),Ai[1].set(this.min.x,this.min.y,this.max.z).applyMatrix4(e),Ai[2].set(this.min.x,this.max.y,this.min.z).applyMatrix4(e),Ai[3].set(this.min.x,this.max.y,this.max.z).applyMatrix4(e),Ai[4].set(this.max.x,this.min.y,this.min.z).applyMatrix4(e),Ai[5].set(this.max.x,this.min.y,this.max.z).applyMatrix4(e),Ai[6].set(this.max.x,this.max.y,this.min.z).applyMatrix4(e),Ai[7].set(this.max.x,this.max.y,this.max.z).applyMatrix4(e),this.setFromPoints(Ai),this)}translate(e){return this.min.add(e),this.max.add(e),this}equals(e){return e.min.equals(this.min)&&e.max.equals(this.max)}}const Ai=[new Y,new Y,new Y,new Y,new Y,new Y,new Y,new Y],si=new Y,Ma=new ca,qs=new Y,js=new Y,Ks=new Y,Wi=new Y,$i=new Y,cs=new Y,zr=new Y,Sa=new Y,ya=new Y,us=new Y;function tl(i,e,t,n,s){for(let r=0,a=i.length-3;r<=a;r+=3){us.fromArray(i,r);const o=s.x*Math.abs(us.x)+s.y*Math.abs(us.y)+s.z*Math.abs(us.z),l=e.dot(us),c=t.dot(us),u=n.dot(us);if(Math.max(-Math.max(l,c,u),Math.min(l,c,u))>o)return!1}return!0}const Mg=new ca,Hr=new Y,nl=new Y;class mc{constructor(e=new Y,t=-1){this.isSphere=!0,this.center=e,this.radius=t}set(e,t){return this.center.copy(e),this.radius=t,this}setFromPoints(e,t){const n=this.center;t!==void 0?n.copy(t):Mg.setFromPoints(e).getCenter(n);let s=0;for(let r=0,a=e.length;r<a;r++)s=Math.max(s,n.distanceToSquared(e[r]));return this.radius=Math.sqrt(s),this}copy(e){return this.center.copy(e.center),this.radius=e.radius,this}isEmpty(){return this.radius<0}makeEmpty(){return this.center.set(0,0,0),this.radius=-1,this}containsPoint(e){return e.distanceToSquared(this.center)<=this.radius*this.radius}distanceToPoint(e){return e.distanceTo(this.center)-this.radius}intersectsSphere(e){const t=this.radius+e.radius;return e.center.distanceToSquared(this.center)<=t*t}intersectsBox(e){return e.intersectsSphere(this)}intersectsPlane(e){return Math.abs(e.distanceToPoint(this.center))<=this.radius}clampPoint(e,t){const n=this.center.distanceToSquared(e);return t.copy(e),n>this.radius*this.radius&&(t.sub(this.center).normalize(),t.multiplyScalar(this.radius).add(this.center)),t}getBoundingBox(e){return this.isEmpty()?(e.makeEmpty(),e):(e.set(this.center,this.center),e.expandByScalar(this.radius),e)}applyMatrix4(e){return this.center.applyMatrix4(e),this.radius=this.radius*e.getMaxScaleOnAxis(),this}translate(e){return this.center.add(e),this}expandByPoint(e){if(this.isEmpty())return this.center.copy(e),this.radius=0,this;Hr.subVectors(e,this.center);const t=Hr.lengthSq();if(t>this.radius*this.radius){const n=Math.sqrt(t),s=(n-this.radius)*.5;this.center.addScaledVector(Hr,s/n),this.radius+=s}return this}union(e){return e.isEmpty()?this:this.isEmpty()?(this.copy(e),this):(this.center.equals(e.center)===!0?this.radius=Math.max(this.radius,e.radius):(nl.subVectors(e.center,this.center).setLength(e.radius),this.expandByPoint(Hr.copy(e.center).add(nl)),this.expandByPoint(Hr.copy(e.center).sub(nl))),this)}equals(e){return e.center.equals(this.center)&&e.radius===this.radius}clone(){return new this.constructor().copy(this)}}const Ri=new Y,il=new Y,Ea=new Y,Xi=new Y,sl=new Y,ba=new Y,rl=new Y;class gc{constructor(e=new Y,t=new Y(0,0,-1)){this.origin=e,this.direction=t}set(e,t){return this.origin.copy(e),this.direction.copy(t),this}copy(e){return this.origin.copy(e.origin),this.direction.copy(e.direction),this}at(e,t){return t.copy(this.origin).addScaledVector(this.direction,e)}lookAt(e){return this.direction.copy(e).sub(this.origin).normalize(),this}recast(e){return this.origin.copy(this.at(e,Ri)),this}closestPointToPoint(e,t){t.subVectors(e,this.origin);const n=t.dot(this.direction);return n<0?t.copy(this.origin):t.copy(this.origin).addScaledVector(this.direction,n)}distanceToPoint(e){return Math.sqrt(this.distanceSqToPoint(e))}distanceSqToPoint(e){const t=Ri.subVectors(e,this.origin).dot(this.direction);return t<0?this.origin.distanceToSquared(e):(Ri.copy(this.origin).addScaledVector(this.direction,t),Ri.distanceToSquared(e))}distanceSqToSegment(e,t,n,s){il.copy(e).add(t).multiplyScalar(.5),Ea.copy(t).sub(e).normalize(),Xi.copy(this.origin).sub(il);const r=e.distanceTo(t)*.5,a=-this.direction.dot(Ea),o=Xi.dot(this.direction),l=-Xi.dot(Ea),c=Xi.lengthSq(),u=Math.abs(1-a*a);let h,f,p,_;if(u>0)if(h=a*l-o,f=a*o-l,_=r*u,h>=0)if(f>=-_)if(f<=_){const x=1/u;h*=x,f*=x,p=h*(h+a*f+2*o)+f*(a*h+f+2*l)+c}else f=r,h=Math.max(0,-(a*f+o)),p=-h*h+f*(f+2*l)+c;else f=-r,h=Math.max(0,-(a*f+o)),p=-h*h+f*(f+2*l)+c;else f<=-_?(h=Math.max(0,-(-a*r+o)),f=h>0?-r:Math.min(Math.max(-r,-l),r),p=-h*h+f*(f+2*l)+c):f<=_?(h=0,f=Math.min(Math.max(-r,-l),r),p=f*(f+2*l)+c):(h=Math.max(0,-(a*r+o)),f=h>0?r:Math.min(Math.max(-r,-l),r),p=-h*h+f*(f+2*l)+c);else f=a>0?-r:r,h=Math.max(0,-(a*f+o)),p=-h*h+f*(f+2*l)+c;return n&&n.copy(this.origin).addScaledVector(this.direction,h),s&&s.copy(il).addScaledVector(Ea,f),p}intersectSphere(e,t){Ri.subVectors(e.center,this.origin);const n=Ri.dot(this.direction),s=Ri.dot(Ri)-n*n,r=e.radius*e.radius;if(s>r)return null;const a=Math.sqrt(r-s),o=n-a,l=n+a;return l<0?null:o<0?this.at(l,t):this.at(o,t)}intersectsSphere(e){return this.distanceSqToPoint(e.center)<=e.radius*e.radius}distanceToPlane(e){const t=e.normal.dot(this.direction);if(t===0)return e.distanceToPoint(this.origin)===0?0:null;const n=-(this.origin.dot(e.normal)+e.constant)/t;return n>=0?n:null}intersectPlane(e,t){const n=this.distanceToPlane(e);return n===null?null:this.at(n,t)}intersectsPlane(e){const t=e.distanceToPoint(this.origin);return t===0||e.normal.dot(this.direction)*t<0}intersectBox(e,t){let n,s,r,a,o,l;const c=1/this.direction.x,u=1/this.direction.y,h=1/this.direction.z,f=this.origin;return c>=0?(n=(e.min.x-f.x)*c,s=(e.max.x-f.x)*c):(n=(e.max.x-f.x)*c,s=(e.min.x-f.x)*c),u>=0?(r=(e.min.y-f.y)*u,a=(e.max.y-f.y)*u):(r=(e.max.y-f.y)*u,a=(e.min.y-f.y)*u),n>a||r>s||((r>n||isNaN(n))&&(n=r),(a<s||isNaN(s))&&(s=a),h>=0?(o=(e.min.z-f.z)*h,l=(e.max.z-f.z)*h):(o=(e.max.z-f.z)*h,l=(e.min.z-f.z)*h),n>l||o>s)||((o>n||n!==n)&&(n=o),(l<s||s!==s)&&(s=l),s<0)?null:this.at(n>=0?n:s,t)}intersectsBox(e){return this.intersectBox(e,Ri)!==null}intersectTriangle(e,t,n,s,r){sl.subVectors(t,e),ba.subVectors(n,e),rl.crossVectors(sl,ba);let a=this.direction.dot(rl),o;if(a>0){if(s)return null;o=1}else if(a<0)o=-1,a=-a;else return null;Xi.subVectors(this.origin,e);const l=o*this.direction.dot(ba.crossVectors(Xi,ba));if(l<0)return null;const c=o*this.direction.dot(sl.cross(Xi));if(c<0||l+c>a)return null;const u=-o*Xi.dot(rl);return u<0?null:this.at(u/a,r)}applyMatrix4(e){return this.origin.applyMatrix4(e),this.direction.transformDirection(e),this}equals(e){return e.origin.equals(this.origin)&&e.direction.equals(this.direction)}clone(){return new this.constructor().copy(this)}}class zt{constructor(e,t,n,s,r,a,o,l,c,u,h,f,p,_,x,m){zt.prototype.isMatrix4=!0,this.elements=[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],e!==void 0&&this.set(e,t,n,s,r,a,o,l,c,u,h,f,p,_,x,m)}set(e,t,n,s,r,a,o,l,c,u,h,f,p,_,x,m){const d=this.elements;return d[0]=e,d[4]=t,d[8]=n,d[12]=s,d[1]=r,d[5]=a,d[9]=o,d[13]=l,d[2]=c,d[6]=u,d[10]=h,d[14]=f,d[3]=p,d[7]=_,d[11]=x,d[15]=m,this}identity(){return this.set(1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1),this}clone(){return new zt().fromArray(this.elements)}copy(e){const t=this.elements,n=e.elements;return t[0]=n[0],t[1]=n[1],t[2]=n[2],t[3]=n[3],t[4]=n[4],t[5]=n[5],t[6]=n[6],t[7]=n[7],t[8]=n[8],t[9]=n[9],t[10]=n[10],t[11]=n[11],t[12]=n[12],t[13]=n[13],t[14]=n[14],t[15]=n[15],this}copyPosition(e){const t=this.elements,n=e.elements;return t[12]=n[12],t[13]=n[13],t[14]=n[14],this}setFromMatrix3(e){const t=e.elements;return this.set(t[0],t[3],t[6],0,t[1],t[4],t[7],0,t[2],t[5],t[8],0,0,0,0,1),this}extractBasis(e,t,n){return e.setFromMatrixColumn(this,0),t.setFromMatrixColumn(this,1),n.setFromMatrixColumn(this,2),this}makeBasis(e,t,n){return this.set(e.x,t.x,n.x,0,e.y,t.y,n.y,0,e.z,t.z,n.z,0,0,0,0,1),this}extractRotation(e){const t=this.elements,n=e.elements,s=1/Zs.setFromMatrixColumn(e,0).length(),r=1/Zs.setFromMatrixColumn(e,1).length(),a=1/Zs.setFromMatrixColumn(e,2).length();return t[0]=n[0]*s,t[1]=n[1]*s,t[2]=n[2]*s,t[3]=0,t[4]=n[4]*r,t[5]=n[5]*r,t[6]=n[6]*r,t[7]=0,t[8]=n[8]*a,t[9]=n[9]*a,t[10]=n[10]*a,t[11]=0,t[12]=0,t[13]=0,t[14]=0,t[15]=1,this}makeRotationFromEuler(e){const t=this.elements,n=e.x,s=e.y,r=e.z,a=Math.cos(n),o=Math.sin(n),l=Math.cos(s),c=Math.sin(s),u=Math.cos(r),h=Math.sin(r);if(e.order==="XYZ"){const f=a*u,p=a*h,_=o*u,x=o*h;t[0]=l*u,t[4]=-l*h,t[8]=c,t[1]=p+_*c,t[5]=f-x*c,t[9]=-o*l,t[2]=x-f*c,t[6]=_+p*c,t[10]=a*l}else if(e.order==="YXZ"){const f=l*u,p=l*h,_=c*u,x=c*h;t[0]=f+x*o,t[4]=_*o-p,t[8]=a*c,t[1]=a*h,t[5]=a*u,t[9]=-o,t[2]=p*o-_,t[6]=x+f*o,t[10]=a*l}else if(e.order==="ZXY"){const f=l*u,p=l*h,_=c*u,x=c*h;t[0]=f-x*o,t[4]=-a*h,t[8]=_+p*o,t[1]=p+_*o,t[5]=a*u,t[9]=x-f*o,t[2]=-a*c,t[6]=o,t[10]=a*l}else if(e.order==="ZYX"){const f=a*u,p=a*h,_=o*u,x=o*h;t[0]=l*u,t[4]=_*c-p,t[8]=f*c+x,t[1]=l*h,t[5]=x*c+f,t[9]=p*c-_,t[2]=-c,t[6]=o*l,t[10]=a*l}else if(e.order==="YZX"){const f=a*l,p=a*c,_=o*l,x=o*c;t[0]=l*u,t[4]=x-f*h,t[8]=_*h+p,t[1]=h,t[5]=a*u,t[9]=-o*u,t[2]=-c*u,t[6]=p*h+_,t[10]=f-x*h}else if(e.order==="XZY"){const f=a*l,p=a*c,_=o*l,x=o*c;t[0]=l*u,t[4]=-h,t[8]=c*u,t[1]=f*h+x,t[5]=a*u,t[9]=p*h-_,t[2]=_*h-p,t[6]=o*u,t[10]=x*h+f}return t[3]=0,t[7]=0,t[11]=0,t[12]=0,t[13]=0,t[14]=0,t[15]=1,this}makeRotationFromQuaternion(e){return this.compose(Sg,e,yg)}lookAt(e,t,n){const s=this.elements;return kn.subVectors(e,t),kn.lengthSq()===0&&(kn.z=1),kn.normalize(),Yi.crossVectors(n,kn),Yi.lengthSq()===0&&(Math.abs(n.z)===1?kn.x+=1e-4:kn.z+=1e-4,kn.normalize(),Yi.crossVectors(n,kn)),Yi.normalize(),wa.crossVectors(kn,Yi),s[0]=Yi.x,s[4]=wa.x,s[8]=kn.x,s[1]=Yi.y,s[5]=wa.y,s[9]=kn.y,s[2]=Yi.z,s[6]=wa.z,s[10]=kn.z,this}multiply(e){return this.multiplyMatrices(this,e)}premultiply(e){return this.multiplyMatrices(e,this)}multiplyMatrices(e,t){const n=e.elements,s=t.elements,r=this.elements,a=n[0],o=n[4],l=n[8],c=n[12],u=n[1],h=n[5],f=n[9],p=n[13],_=n[2],x=n[6],m=n[10],d=n[14],y=n[3],M=n[7],w=n[11],V=n[15],T=s[0],C=s[4],N=s[8],E=s[12],v=s[1],L=s[5],z=s[9],I=s[13],K=s[2],q=s[6],te=s[10],ie=s[14],ne=s[3],fe=s[7],G=s[11],ce=s[15];return r[0]=a*T+o*v+l*K+c*ne,r[4]=a*C+o*L+l*q+c*fe,r[8]=a*N+o*z+l*te+c*G,r[12]=a*E+o*I+l*ie+c*ce,r[1]=u*T+h*v+f*K+p*ne,r[5]=u*C+h*L+f*q+p*fe,r[9]=u*N+h*z+f*te+p*G,r[13]=u*E+h*I+f*ie+p*ce,r[2]=_*T+x*v+m*K+d*ne,r[6]=_*C+x*L+m*q+d*fe,r[10]=_*N+x*z+m*te+d*G,r[14]=_*E+x*I+m*ie+d*ce,r[3]=y*T+M*v+w*K+V*ne,r[7]=y*C+M*L+w*q+V*fe,r[11]=y*N+M*z+w*te+V*G,r[15]=y*E+M*I+w*ie+V*ce,this}multiplyScalar(e){const t=this.elements;return t[0]*=e,t[4]*=e,t[8]*=e,t[12]*=e,t[1]*=e,t[5]*=e,t[9]*=e,t[13]*=e,t[2]*=e,t[6]*=e,t[10]*=e,t[14]*=e,t[3]*=e,t[7]*=e,t[11]*=e,t[15]*=e,this}determinant(){const e=this.elements,t=e[0],n=e[4],s=e[8],r=e[12],a=e[1],o=e[5],l=e[9],c=e[13],u=e[2],h=e[6],f=e[10],p=e[14],_=e[3],x=e[7],m=e[11],d=e[15];return _*(+r*l*h-s*c*h-r*o*f+n*c*f+s*o*p-n*l*p)+x*(+t*l*p-t*c*f+r*a*f-s*a*p+s*c*u-r*l*u)+m*(+t*c*h-t*o*p-r*a*h+n*a*p+r*o*u-n*c*u)+d*(-s*o*u-t*l*h+t*o*f+s*a*h-n*a*f+n*l*u)}transpose(){const e=this.elements;let t;return t=e[1],e[1]=e[4],e[4]=t,t=e[2],e[2]=e[8],e[8]=t,t=e[6],e[6]=e[9],e[9]=t,t=e[3],e[3]=e[12],e[12]=t,t=e[7],e[7]=e[13],e[13]=t,t=e[11],e[11]=e[14],e[14]=t,this}setPosition(e,t,n){const s=this.elements;return e.isVector3?(s[12]=e.x,s[13]=e.y,s[14]=e.z):(s[12]=e,s[13]=t,s[14]=n),this}invert(){const e=this.elements,t=e[0],n=e[1],s=e[2],r=e[3],a=e[4],o=e[5],l=e[6],c=e[7],u=e[8],h=e[9],f=e[10],p=e[11],_=e[12],x=e[13],m=e[14],d=e[15],y=h*m*c-x*f*c+x*l*p-o*m*p-h*l*d+o*f*d,M=_*f*c-u*m*c-_*l*p+a*m*p+u*l*d-a*f*d,w=u*x*c-_*h*c+_*o*p-a*x*p-u*o*d+a*h*d,V=_*h*l-u*x*l-_*o*f+a*x*f+u*o*m-a*h*m,T=t*y+n*M+s*w+r*V;if(T===0)return this.set(0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0);const C=1/T;return e[0]=y*C,e[1]=(x*f*r-h*m*r-x*s*p+n*m*p+h*s*d-n*f*d)*C,e[2]=(o*m*r-x*l*r+x*s*c-n*m*c-o*s*d+n*l*d)*C,e[3]=(h*l*r-o*f*r-h*s*c+n*f*c+o*s*p-n*l*p)*C,e[4]=M*C,e[5]=(u*m*r-_*f*r+_*s*p-t*m*p-u*s*d+t*f*d)*C,e[6]=(_*l*r-a*m*r-_*s*c+t*m*c+a*s*d-t*l*d)*C,e[7]=(a*f*r-u*l*r+u*s*c-t*f*c-a*s*p+t*l*p)*C,e[8]=w*C,e[9]=(_*h*r-u*x*r-_*n*p+t*x*p+u*n*d-t*h*d)*C,e[10]=(a*x*r-_*o*r+_*n*c-t*x*c-a*n*d+t*o*d)*C,e[11]=(u*o*r-a*h*r-u*n*c+t*h*c+a*n*p-t*o*p)*C,e[12]=V*C,e[13]=(u*x*s-_*h*s+_*n*f-t*x*f-u*n*m+t*h*m)*C,e[14]=(_*o*s-a*x*s-_*n*l+t*x*l+a*n*m-t*o*m)*C,e[15]=(a*h*s-u*o*s+u*n*l-t*h*l-a*n*f+t*o*f)*C,this}scale(e){const t=this.elements,n=e.x,s=e.y,r=e.z;return t[0]*=n,t[4]*=s,t[8]*=r,t[1]*=n,t[5]*=s,t[9]*=r,t[2]*=n,t[6]*=s,t[10]*=r,t[3]*=n,t[7]*=s,t[11]*=r,this}getMaxScaleOnAxis(){const e=this.elements,t=e[0]*e[0]+e[1]*e[1]+e[2]*e[2],n=e[4]*e[4]+e[5]*e[5]+e[6]*e[6],s=e[8]*e[8]+e[9]*e[9]+e[10]*e[10];return Math.sqrt(Math.max(t,n,s))}makeTranslation(e,t,n){return e.isVector3?this.set(1,0,0,e.x,0,1,0,e.y,0,0,1,e.z,0,0,0,1):this.set(1,0,0,e,0,1,0,t,0,0,1,n,0,0,0,1),this}makeRotationX(e){const t=Math.cos(e),n=Math.sin(e);return this.set(1,0,0,0,0,t,-n,0,0,n,t,0,0,0,0,1),this}makeRotationY(e){const t=Math.cos(e),n=Math.sin(e);return this.set(t,0,n,0,0,1,0,0,-n,0,t,0,0,0,0,1),this}makeRotationZ(e){const t=Math.cos(e),n=Math.sin(e);return this.set(t,-n,0,0,n,t,0,0,0,0,1,0,0,0,0,1),this}makeRotationAxis(e,t){const n=Math.cos(t),s=Math.sin(t),r=1-n,a=e.x,o=e.y,l=e.z,c=r*a,u=r*o;return this.set(c*a+n,c*o-s*l,c*l+s*o,0,c*o+s*l,u*o+n,u*l-s*a,0,c*l-s*o,u*l+s*a,r*l*l+n,0,0,0,0,1),this}makeScale(e,t,n){return this.set(e,0,0,0,0,t,0,0,0,0,n,0,0,0,0,1),this}makeShear(e,t,n,s,r,a){return this.set(1,n,r,0,e,1,a,0,t,s,1,0,0,0,0,1),this}compose(e,t,n){const s=this.elements,r=t._x,a=t._y,o=t._z,l=t._w,c=r+r,u=a+a,h=o+o,f=r*c,p=r*u,_=r*h,x=a*u,m=a*h,d=o*h,y=l*c,M=l*u,w=l*h,V=n.x,T=n.y,C=n.z;return s[0]=(1-(x+d))*V,s[1]=(p+w)*V,s[2]=(_-M)*V,s[3]=0,s[4]=(p-w)*T,s[5]=(1-(f+d))*T,s[6]=(m+y)*T,s[7]=0,s[8]=(_+M)*C,s[9]=(m-y)*C,s[10]=(1-(f+x))*C,s[11]=0,s[12]=e.x,s[13]=e.y,s[14]=e.z,s[15]=1,this}decompose(e,t,n){const s=this.elements;let r=Zs.set(s[0],s[1],s[2]).length();const a=Zs.set(s[4],s[5],s[6]).length(),o=Zs.set(s[8],s[9],s[10]).length();this.determinant()<0&&(r=-r),e.x=s[12],e.y=s[13],e.z=s[14],ri.copy(this);const c=1/r,u=1/a,h=1/o;return ri.elements[0]*=c,ri.elements[1]*=c,ri.elements[2]*=c,ri.elements[4]*=u,ri.elements[5]*=u,ri.elements[6]*=u,ri.elements[8]*=h,ri.elements[9]*=h,ri.elements[10]*=h,t.setFromRotationMatrix(ri),n.x=r,n.y=a,n.z=o,this}makePerspective(e,t,n,s,r,a,o=Ii){const l=this.elements,c=2*r/(t-e),u=2*r/(n-s),h=(t+e)/(t-e),f=(n+s)/(n-s);let p,_;if(o===Ii)p=-(a+r)/(a-r),_=-2*a*r/(a-r);else if(o===io)p=-a/(a-r),_=-a*r/(a-r);else throw new Error("THREE.Matrix4.makePerspective(): Invalid coordinate system: "+o);return l[0]=c,l[4]=0,l[8]=h,l[12]=0,l[1]=0,l[5]=u,l[9]=f,l[13]=0,l[2]=0,l[6]=0,l[10]=p,l[14]=_,l[3]=0,l[7]=0,l[11]=-1,l[15]=0,this}makeOrthographic(e,t,n,s,r,a,o=Ii){const l=this.elements,c=1/(t-e),u=1/(n-s),h=1/(a-r),f=(t+e)*c,p=(n+s)*u;let _,x;if(o===Ii)_=(a+r)*h,x=-2*h;else if(o===io)_=r*h,x=-1*h;else throw new Error("THREE.Matrix4.makeOrthographic(): Invalid coordinate system: "+o);return l[0]=2*c,l[4]=0,l[8]=0,l[12]=-f,l[1]=0,l[5]=2*u,l[9]=0,l[13]=-p,l[2]=0,l[6]=0,l[10]=x,l[14]=-_,l[3]=0,l[7]=0,l[11]=0,l[15]=1,this}equals(e){const t=this.elements,n=e.elements;for(let s=0;s<16;s++)if(t[s]!==n[s])return!1;return!0}fromArray(e,t=0){for(let n=0;n<16;n++)this.elements[n]=e[n+t];return this}toArray(e=[],t=0){const n=this.elements;return e[t]=n[0],e[t+1]=n[1],e[t+2]=n[2],e[t+3]=n[3],e[t+4]=n[4],e[t+5]=n[5],e[t+6]=n[6],e[t+7]=n[7],e[t+8]=n[8],e[t+9]=n[9],e[t+10]=n[10],e[t+11]=n[11],e[t+12]=n[12],e[t+13]=n[13],e[t+14]=n[14],e[t+15]=n[15],e}}const Zs=new Y,ri=new zt,Sg=new Y(0,0,0),yg=new Y(1,1,1),Yi=new Y,wa=new Y,kn=new Y,qu=new zt,ju=new Rs;class Fi{constructor(e=0,t=0,n=0,s=Fi.DEFAULT_ORDER){this.isEuler=!0,this._x=e,this._y=t,this._z=n,this._order=s}get x(){return this._x}set x(e){this._x=e,this._onChangeCallback()}get y(){return this._y}set y(e){this._y=e,this._onChangeCallback()}get z(){return this._z}set z(e){this._z=e,this._onChangeCallback()}get order(){return this._order}set order(e){this._order=e,this._onChangeCallback()}set(e,t,n,s=this._order){return this._x=e,this._y=t,this._z=n,this._order=s,this._onChangeCallback(),this}clone(){return new this.constructor(this._x,this._y,this._z,this._order)}copy(e){return this._x=e._x,this._y=e._y,this._z=e._z,this._order=e._order,this._onChangeCallback(),this}setFromRotationMatrix(e,t=this._order,n=!0){const s=e.elements,r=s[0],a=s[4],o=s[8],l=s[1],c=s[5],u=s[9],h=s[2],f=s[6],p=s[10];switch(t){case"XYZ":this._y=Math.asin(hn(o,-1,1)),Math.abs(o)<.9999999?(this._x=Math.atan2(-u,p),this._z=Math.atan2(-a,r)):(this._x=Math.atan2(f,c),this._z=0);break;case"YXZ":this._x=Math.asin(-hn(u,-1,1)),Math.abs(u)<.9999999?(this._y=Math.atan2(o,p),this._z=Math.atan2(l,c)):(this._y=Math.atan2(-h,r),this._z=0);break;case"ZXY":this._x=Math.asin(hn(f,-1,1)),Math.abs(f)<.9999999?(this._y=Math.atan2(-h,p),this._z=Math.atan2(-a,c)):(this._y=0,this._z=Math.atan2(l,r));break;case"ZYX":this._y=Math.asin(-hn(h,-1,1)),Math.abs(h)<.9999999?(this._x=Math.atan2(f,p),this._z=Math.atan2(l,r)):(this._x=0,this._z=Math.atan2(-a,c));break;case"YZX":this._z=Math.asin(hn(l,-1,1)),Math.abs(l)<.9999999?(this._x=Math.atan2(-u,c),this._y=Math.atan2(-h,r)):(this._x=0,this._y=Math.atan2(o,p));break;case"XZY":this._z=Math.asin(-hn(a,-1,1)),Math.abs(a)<.9999999?(this._x=Math.atan2(f,c),this._y=Math.atan2(o,r)):(this._x=Math.atan2(-u,p),this._y=0);break;default:console.warn("THREE.Euler: .setFromRotationMatrix() encountered an unknown order: "+t)}return this._order=t,n===!0&&this._onChangeCallback(),this}setFromQuaternion(e,t,n){return qu.makeRotationFromQuaternion(e),this.setFromRotationMatrix(qu,t,n)}setFromVector3(e,t=this._order){return this.set(e.x,e.y,e.z,t)}reorder(e){return ju.setFromEuler(this),this.setFromQuaternion(ju,e)}equals(e){return e._x===this._x&&e._y===this._y&&e._z===this._z&&e._order===this._order}fromArray(e){return this._x=e[0],this._y=e[1],this._z=e[2],e[3]!==void 0&&(this._order=e[3]),this._onChangeCallback(),this}toArray(e=[],t=0){return e[t]=this._x,e[t+1]=this._y,e[t+2]=this._z,e[t+3]=this._order,e}_onChange(e){return this._onChangeCallback=e,this}_onChangeCallback(){}*[Symbol.iterator](){yield this._x,yield this._y,yield this._z,yield this._order}}Fi.DEFAULT_ORDER="XYZ";class _c{constructor(){this.mask=1}set(e){this.mask=(1<<e|0)>>>0}enable(e){this.mask|=1<<e|0}enableAll(){this.mask=-1}toggle(e){this.mask^=1<<e|0}disable(e){this.mask&=~(1<<e|0)}disableAll(){this.mask=0}test(e){return(this.mask&e.mask)!==0}isEnabled(e){return(this.mask&(1<<e|0))!==0}}let Eg=0;const Ku=new Y,Js=new Rs,Ci=new zt,Ta=new Y,Vr=new Y,bg=new Y,wg=new Rs,Zu=new Y(1,0,0),Ju=new Y(0,1,0),Qu=new Y(0,0,1),eh={type:"added"},Tg={type:"removed"},Qs={type:"childadded",child:null},al={type:"childremoved",child:null};class Hn extends Ps{constructor(){super(),this.isObject3D=!0,Object.defineProperty(this,"id",{value:Eg++}),this.uuid=la(),this.name="",this.type="Object3D",this.parent=null,this.children=[],this.up=Hn.DEFAULT_UP.clone();const e=new Y,t=new Fi,n=new Rs,s=new Y(1,1,1);function r(){n.setFromEuler(t,!1)}function a(){t.setFromQuaternion(n,void 0,!1)}t._onChange(r),n._onChange(a),Object.defineProperties(this,{position:{configurable:!0,enumerable:!0,value:e},rotation:{configurable:!0,enumerable:!0,value:t},quaternion:{configurable:!0,enumerable:!0,value:n},scale:{configurable:!0,enumerable:!0,value:s},modelViewMatrix:{value:new zt},normalMatrix:{value:new rt}}),this.matrix=new zt,this.matrixWorld=new zt,this.matrixAutoUpdate=Hn.DEFAULT_MATRIX_AUTO_UPDATE,this.matrixWorldAutoUpdate=Hn.DEFAULT_MATRIX_WORLD_AUTO_UPDATE,this.matrixWorldNeedsUpdate=!1,this.layers=new _c,this.visible=!0,this.castShadow=!1,this.receiveShadow=!1,this.frustumCulled=!0,this.renderOrder=0,this.animations=[],this.userData={}}onBeforeShadow(){}onAfterShadow(){}onBeforeRender(){}onAfterRender(){}applyMatrix4(e){this.matrixAutoUpdate&&this.updateMatrix(),this.matrix.premultiply(e),this.matrix.decompose(this.position,this.quaternion,this.scale)}applyQuaternion(e){return this.quaternion.premultiply(e),this}setRotationFromAxisAngle(e,t){this.quaternion.setFromAxisAngle(e,t)}setRotationFromEuler(e){this.quaternion.setFromEuler(e,!0)}setRotationFromMatrix(e){this.quaternion.setFromRotationMatrix(e)}setRotationFromQuaternion(e){this.quaternion.copy(e)}rotateOnAxis(e,t){return Js.setFromAxisAngle(e,t),this.quaternion.multiply(Js),this}rotateOnWorldAxis(e,t){return Js.setFromAxisAngle(e,t),this.quaternion.premultiply(Js),this}rotateX(e){return this.rotateOnAxis(Zu,e)}rotateY(e){return this.rotateOnAxis(Ju,e)}rotateZ(e){return this.rotateOnAxis(Qu,e)}translateOnAxis(e,t){return Ku.copy(e).applyQuaternion(this.quaternion),this.position.add(Ku.multiplyScalar(t)),this}translateX(e){return this.translateOnAxis(Zu,e)}translateY(e){return this.translateOnAxis(Ju,e)}translateZ(e){return this.translateOnAxis(Qu,e)}localToWorld(e){return this.updateWorldMatrix(!0,!1),e.applyMatrix4(this.matrixWorld)}worldToLocal(e){return this.updateWorldMatrix(!0,!1),e.applyMatrix4(Ci.copy(this.matrixWorld).invert())}lookAt(e,t,n){e.isVector3?Ta.copy(e):Ta.set(e,t,n);const s=this.parent;this.updateWorldMatrix(!0,!1),Vr.setFromMatrixPosition(this.matrixWorld),this.isCamera||this.isLight?Ci.lookAt(Vr,Ta,this.up):Ci.lookAt(Ta,Vr,this.up),this.quaternion.setFromRotationMatrix(Ci),s&&(Ci.extractRotation(s.matrixWorld),Js.setFromRotationMatrix(Ci),this.quaternion.premultiply(Js.invert()))}add(e){if(arguments.length>1){for(let t=0;t<arguments.length;t++)this.add(arguments[t]);return this}return e===this?(console.error("THREE.Object3D.add: object can't be added as a child of itself.",e),this):(e&&e.isObject3D?(e.removeFromParent(),e.parent=this,this.children.push(e),e.dispatchEvent(eh),Qs.child=e,this.dispatchEvent(Qs),Qs.child=null):console.error("THREE.Object3D.add: object not an instance of THREE.Object3D.",e),this)}remove(e){if(arguments.length>1){for(let n=0;n<arguments.length;n++)this.remove(arguments[n]);return this}const t=this.children.indexOf(e);return t!==-1&&(e.parent=null,this.children.splice(t,1),e.dispatchEvent(Tg),al.child=e,this.dispatchEvent(al),al.child=null),this}removeFromParent(){const e=this.parent;return e!==null&&e.remove(this),this}clear(){return this.remove(...this.children)}attach(e){return this.updateWorldMatrix(!0,!1),Ci.copy(this.matrixWorld).invert(),e.parent!==null&&(e.parent.updateWorldMatrix(!0,!1),Ci.multiply(e.parent.matrixWorld)),e.applyMatrix4(Ci),e.removeFromParent(),e.parent=this,this.children.push(e),e.updateWorldMatrix(!1,!0),e.dispatchEvent(eh),Qs.child=e,this.dispatchEvent(Qs),Qs.child=null,this}getObjectById(e){return this.getObjectByProperty("id",e)}getObjectByName(e){return this.getObjectByProperty("name",e)}getObjectByProperty(e,t){if(this[e]===t)return this;for(let n=0,s=this.children.length;n<s;n++){const a=this.children[n].getObjectByProperty(e,t);if(a!==void 0)return a}}getObjectsByProperty(e,t,n=[]){this[e]===t&&n.push(this);const s=this.children;for(let r=0,a=s.length;r<a;r++)s[r].getObjectsByProperty(e,t,n);return n}getWorldPosition(e){return this.updateWorldMatrix(!0,!1),e.setFromMatrixPosition(this.matrixWorld)}getWorldQuaternion(e){return this.updateWorldMatrix(!0,!1),this.matrixWorld.decompose(Vr,e,bg),e}getWorldScale(e){return this.updateWorldMatrix(!0,!1),this.matrixWorld.decompose(Vr,wg,e),e}getWorldDirection(e){this.updateWorldMatrix(!0,!1);const t=this.matrixWorld.elements;return e.set(t[8],t[9],t[10]).normalize()}raycast(){}traverse(e){e(this);const t=this.children;for(let n=0,s=t.length;n<s;n++)t[n].traverse(e)}traverseVisible(e){if(this.visible===!1)return;e(this);const t=this.children;for(let n=0,s=t.length;n<s;n++)t[n].traverseVisible(e)}traverseAncestors(e){const t=this.parent;t!==null&&(e(t),t.traverseAncestors(e))}updateMatrix(){this.matrix.compose(this.position,this.quaternion,this.scale),this.matrixWorldNeedsUpdate=!0}updateMatrixWorld(e){this.matrixAutoUpdate&&this.updateMatrix(),(this.matrixWorldNeedsUpdate||e)&&(this.parent===null?this.matrixWorld.copy(this.matrix):this.matrixWorld.multiplyMatrices(this.parent.matrixWorld,this.matrix),this.matrixWorldNeedsUpdate=!1,e=!0);const t=this.children;for(let n=0,s=t.length;n<s;n++){const r=t[n];(r.matrixWorldAutoUpdate===!0||e===!0)&&r.updateMatrixWorld(e)}}updateWorldMatrix(e,t){const n=this.parent;if(e===!0&&n!==null&&n.matrixWorldAutoUpdate===!0&&n.updateWorldMatrix(!0,!1),this.matrixAutoUpdate&&this.updateMatrix(),this.parent===null?this.matrixWorld.copy(this.matrix):this.matrixWorld.multiplyMatrices(this.parent.matrixWorld,this.matrix),t===!0){const s=this.children;for(let r=0,a=s.length;r<a;r++){const o=s[r];o.matrixWorldAutoUpdate===!0&&o.updateWorldMatrix(!1,!0)}}}toJSON(e){const t=e===void 0||typeof e=="string",n={};t&&(e={geometries:{},materials:{},textures:{},images:{},shapes:{},skeletons:{},animations:{},nodes:{}},n.metadata={version:4.6,type:"Object",generator:"Object3D.toJSON"});const s={};s.uuid=this.uuid,s.type=this.type,this.name!==""&&(s.name=this.name),this.castShadow===!0&&(s.castShadow=!0),this.receiveShadow===!0&&(s.receiveShadow=!0),this.visible===!1&&(s.visible=!1),this.frustumCulled===!1&&(s.frustumCulled=!1),this.renderOrder!==0&&(s.renderOrder=this.renderOrder),Object.keys(this.userData).length>0&&(s.userData=this.userData),s.layers=this.layers.mask,s.matrix=this.matrix.toArray(),s.up=this.up.toArray(),this.matrixAutoUpdate===!1&&(s.matrixAutoUpdate=!1),this.isInstancedMesh&&(s.type="InstancedMesh",s.count=this.count,s.instanceMatrix=this.instanceMatrix.toJSON(),this.instanceColor!==null&&(s.instanceColor=this.instanceColor.toJSON())),this.isBatchedMesh&&(s.type="BatchedMesh",s.perObjectFrustumCulled=this.perObjectFrustumCulled,s.sortObjects=this.sortObjects,s.drawRanges=this._drawRanges,s.reservedRanges=this._reservedRanges,s.visibility=this._visibility,s.active=this._active,s.bounds=this._bounds.map(o=>({boxInitialized:o.boxInitialized,boxMin:o.box.min.toArray(),boxMax:o.box.max.toArray(),sphereInitialized:o.sphereInitialized,sphereRadius:o.sphere.radius,sphereCenter:o.sphere.center.toArray()})),s.maxGeometryCount=this._maxGeometryCount,s.maxVertexCount=this._maxVertexCount,s.maxIndexCount=this._maxIndexCount,s.geometryInitialized=this._geometryInitialized,s.geometryCount=this._geometryCount,s.matricesTexture=this._matricesTexture.toJSON(e),this.boundingSphere!==null&&(s.boundingSphere={center:s.boundingSphere.center.toArray(),radius:s.boundingSphere.radius}),this.boundingBox!==null&&(s.boundingBox={min:s.boundingBox.min.toArray(),max:s.boundingBox.max.toArray()}));function r(o,l){return o[l.uuid]===void 0&&(o[l.uuid]=l.toJSON(e)),l.uuid}if(this.isScene)this.background&&(this.background.isColor?s.background=this.background.toJSON():this.background.isTexture&&(s.background=this.background.toJSON(e).uuid)),this.environment&&this.environment.isTexture&&this.environment.isRenderTargetTexture!==!0&&(s.environment=this.environment.toJSON(e).uuid);else if(this.isMesh||this.isLine||this.isPoints){s.geometry=r(e.geometries,this.geometry);const o=this.geometry.parameters;if(o!==void 0&&o.shapes!==void 0){const l=o.shapes;if(Array.isArray(l))for(let c=0,u=l.length;c<u;c++){const h=l[c];r(e.shapes,h)}else r(e.shapes,l)}}if(this.isSkinnedMesh&&(s.bindMode=this.bindMode,s.bindMatrix=this.bindMatrix.toArray(),this.skeleton!==void 0&&(r(e.skeletons,this.skeleton),s.skeleton=this.skeleton.uuid)),this.material!==void 0)if(Array.isArray(this.material)){const o=[];for(let l=0,c=this.material.length;l<c;l++)o.push(r(e.materials,this.material[l]));s.material=o}else s.material=r(e.materials,this.material);if(this.children.length>0){s.children=[];for(let o=0;o<this.children.length;o++)s.children.push(this.children[o].toJSON(e).object)}if(this.animations.length>0){s.animations=[];for(let o=0;o<this.animations.length;o++){const l=this.animations[o];s.animations.push(r(e.animations,l))}}if(t){const o=a(e.geometries),l=a(e.materials),c=a(e.textures),u=a(e.images),h=a(e.shapes),f=a(e.skeletons),p=a(e.animations),_=a(e.nodes);o.length>0&&(n.geometries=o),l.length>0&&(n.materials=l),c.length>0&&(n.textures=c),u.length>0&&(n.images=u),h.length>0&&(n.shapes=h),f.length>0&&(n.skeletons=f),p.length>0&&(n.animations=p),_.length>0&&(n.nodes=_)}return n.object=s,n;function a(o){const l=[];for(const c in o){const u=o[c];delete u.metadata,l.push(u)}return l}}clone(e){return new this.constructor().copy(this,e)}copy(e,t=!0){if(this.name=e.name,this.up.copy(e.up),this.position.copy(e.position),this.rotation.order=e.rotation.order,this.quaternion.copy(e.quaternion),this.scale.copy(e.scale),this.matrix.copy(e.matrix),this.matrixWorld.copy(e.matrixWorld),this.matrixAutoUpdate=e.matrixAutoUpdate,this.matrixWorldAutoUpdate=e.matrixWorldAutoUpdate,this.matrixWorldNeedsUpdate=e.matrixWorldNeedsUpdate,this.layers.mask=e.layers.mask,this.visible=e.visible,this.castShadow=e.castShadow,this.receiveShadow=e.receiveShadow,this.frustumCulled=e.frustumCulled,this.renderOrder=e.renderOrder,this.animations=e.animations.slice(),this.userData=JSON.parse(JSON.stringify(e.userData)),t===!0)for(let n=0;n<e.children.length;n++){const s=e.children[n];this.add(s.clone())}return this}}Hn.DEFAULT_UP=new Y(0,1,0);Hn.DEFAULT_MATRIX_AUTO_UPDATE=!0;Hn.DEFAULT_MATRIX_WORLD_AUTO_UPDATE=!0;const ai=new Y,Pi=new Y,ol=new Y,Li=new Y,er=new Y,tr=new Y,th=new Y,ll=new Y,cl=new Y,ul=new Y;class Si{constructor(e=new Y,t=new Y,n=new Y){this.a=e,this.b=t,this.c=n}static getNormal(e,t,n,s){s.subVectors(n,t),ai.subVectors(e,t),s.cross(ai);const r=s.lengthSq();return r>0?s.multiplyScalar(1/Math.sqrt(r)):s.set(0,0,0)}static getBarycoord(e,t,n,s,r){ai.subVectors(s,t),Pi.subVectors(n,t),ol.subVectors(e,t);const a=ai.dot(ai),o=ai.dot(Pi),l=ai.dot(ol),c=Pi.dot(Pi),u=Pi.dot(ol),h=a*c-o*o;if(h===0)return r.set(0,0,0),null;const f=1/h,p=(c*l-o*u)*f,_=(a*u-o*l)*f;return r.set(1-p-_,_,p)}static containsPoint(e,t,n,s){return this.getBarycoord(e,t,n,s,Li)===null?!1:Li.x>=0&&Li.y>=0&&Li.x+Li.y<=1}static getInterpolation(e,t,n,s,r,a,o,l){return this.getBarycoord(e,t,n,s,Li)===null?(l.x=0,l.y=0,"z"in l&&(l.z=0),"w"in l&&(l.w=0),null):(l.setScalar(0),l.addScaledVector(r,Li.x),l.addScaledVector(a,Li.y),l.addScaledVector(o,Li.z),l)}static isFrontFacing(e,t,n,s){return ai.subVectors(n,t),Pi.subVectors(e,t),ai.cross(Pi).dot(s)<0}set(e,t,n){return this.a.copy(e),this.b.copy(t),this.c.copy(n),this}setFromPointsAndIndices(e,t,n,s){return this.a.copy(e[t]),this.b.copy(e[n]),this.c.copy(e[s]),this}setFromAttributeAndIndices(e,t,n,s){return this.a.fromBufferAttribute(e,t),this.b.fromBufferAttribute(e,n),this.c.fromBufferAttribute(e,s),this}clone(){return new this.constructor().copy(this)}copy(e){return this.a.copy(e.a),this.b.copy(e.b),this.c.copy(e.c),this}getArea(){return ai.subVectors(this.c,this.b),Pi.subVectors(this.a,this.b),ai.cross(Pi).length()*.5}getMidpoint(e){return e.addVectors(this.a,this.b).add(this.c).multiplyScalar(1/3)}getNormal(e){return Si.getNormal(this.a,this.b,this.c,e)}getPlane(e){return e.setFromCoplanarPoints(this.a,this.b,this.c)}getBarycoord(e,t){return Si.getBarycoord(e,this.a,this.b,this.c,t)}getInterpolation(e,t,n,s,r){return Si.getInterpolation(e,this.a,this.b,this.c,t,n,s,r)}containsPoint(e){return Si.containsPoint(e,this.a,this.b,this.c)}isFrontFacing(e){return Si.isFrontFacing(this.a,this.b,this.c,e)}intersectsBox(e){return e.intersectsTriangle(this)}closestPointToPoint(e,t){const n=this.a,s=this.b,r=this.c;let a,o;er.subVectors(s,n),tr.subVectors(r,n),ll.subVectors(e,n);const l=er.dot(ll),c=tr.dot(ll);if(l<=0&&c<=0)return t.copy(n);cl.subVectors(e,s);const u=er.dot(cl),h=tr.dot(cl);if(u>=0&&h<=u)return t.copy(s);const f=l*h-u*c;if(f<=0&&l>=0&&u<=0)return a=l/(l-u),t.copy(n).addScaledVector(er,a);ul.subVectors(e,r);const p=er.dot(ul),_=tr.dot(ul);if(_>=0&&p<=_)return t.copy(r);const x=p*c-l*_;if(x<=0&&c>=0&&_<=0)return o=c/(c-_),t.copy(n).addScaledVector(tr,o);const m=u*_-p*h;if(m<=0&&h-u>=0&&p-_>=0)return th.subVectors(r,s),o=(h-u)/(h-u+(p-_)),t.copy(s).addScaledVector(th,o);const d=1/(m+x+f);return a=x*d,o=f*d,t.copy(n).addScaledVector(er,a).addScaledVector(tr,o)}equals(e){return e.a.equals(this.a)&&e.b.equals(this.b)&&e.c.equals(this.c)}}const gd={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074},qi={h:0,s:0,l:0},Aa={h:0,s:0,l:0};function hl(i,e,t){return t<0&&(t+=1),t>1&&(t-=1),t<1/6?i+(e-i)*6*t:t<1/2?e:t<2/3?i+(e-i)*6*(2/3-t):i}class St{constructor(e,t,n){return this.isColor=!0,this.r=1,this.g=1,this.b=1,this.set(e,t,n)}set(e,t,n){if(t===void 0&&n===void 0){const s=e;s&&s.isColor?this.copy(s):typeof s=="number"?this.setHex(s):typeof s=="string"&&this.setStyle(s)}else this.setRGB(e,t,n);return this}setScalar(e){return this.r=e,this.g=e,this.b=e,this}setHex(e,t=xi){return e=Math.floor(e),this.r=(e>>16&255)/255,this.g=(e>>8&255)/255,this.b=(e&255)/255,vt.toWorkingColorSpace(this,t),this}setRGB(e,t,n,s=vt.workingColorSpace){return this.r=e,this.g=t,this.b=n,vt.toWorkingColorSpace(this,s),this}setHSL(e,t,n,s=vt.workingColorSpace){if(e=ug(e,1),t=hn(t,0,1),n=hn(n,0,1),t===0)this.r=this.g=this.b=n;else{const r=n<=.5?n*(1+t):n+t-n*t,a=2*n-r;this.r=hl(a,r,e+1/3),this.g=hl(a,r,e),this.b=hl(a,r,e-1/3)}return vt.toWorkingColorSpace(this,s),this}setStyle(e,t=xi){function n(r){r!==void 0&&parseFloat(r)<1&&console.warn("THREE.Color: Alpha component of "+e+" will be ignored.")}let s;if(s=/^(\w+)\(([^\)]*)\)/.exec(e)){let r;const a=s[1],o=s[2];switch(a){case"rgb":case"rgba":if(r=/^\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*(\d*\.?\d+)\s*)?$/.exec(o))return n(r[4]),this.setRGB(Math.min(255,parseInt(r[1],10))/255,Math.min(255,parseInt(r[2],10))/255,Math.min(255,parseInt(r[3],10))/255,t);if(r=/^\s*(\d+)\%\s*,\s*(\d+)\%\s*,\s*(\d+)\%\s*(?:,\s*(\d*\.?\d+)\s*)?$/.exec(o))return n(r[4]),this.setRGB(Math.min(100,parseInt(r[1],10))/100,Math.min(100,parseInt(r[2],10))/100,Math.min(100,parseInt(r[3],10))/100,t);break;case"hsl":case"hsla":if(r=/^\s*(\d*\.?\d+)\s*,\s*(\d*\.?\d+)\%\s*,\s*(\d*\.?\d+)\%\s*(?:,\s*(\d*\.?\d+)\s*)?$/.exec(o))return n(r[4]),this.setHSL(parseFloat(r[1])/360,parseFloat(r[2])/100,parseFloat(r[3])/100,t);break;default:console.warn("THREE.Color: Unknown color model "+e)}}else if(s=/^\#([A-Fa-f\d]+)$/.exec(e)){const r=s[1],a=r.length;if(a===3)return this.setRGB(parseInt(r.charAt(0),16)/15,parseInt(r.charAt(1),16)/15,parseInt(r.charAt(2),16)/15,t);if(a===6)return this.setHex(parseInt(r,16),t);console.warn("THREE.Color: Invalid hex color "+e)}else if(e&&e.length>0)return this.setColorName(e,t);return this}setColorName(e,t=xi){const n=gd[e.toLowerCase()];return n!==void 0?this.setHex(n,t):console.warn("THREE.Color: Unknown color "+e),this}clone(){return new this.constructor(this.r,this.g,this.b)}copy(e){return this.r=e.r,this.g=e.g,this.b=e.b,this}copySRGBToLinear(e){return this.r=gr(e.r),this.g=gr(e.g),this.b=gr(e.b),this}copyLinearToSRGB(e){return this.r=Jo(e.r),this.g=Jo(e.g),this.b=Jo(e.b),this}convertSRGBToLinear(){return this.copySRGBToLinear(this),this}convertLinearToSRGB(){return this.copyLinearToSRGB(this),this}getHex(e=xi){return vt.fromWorkingColorSpace(mn.copy(this),e),Math.round(hn(mn.r*255,0,255))*65536+Math.round(hn(mn.g*255,0,255))*256+Math.round(hn(mn.b*255,0,255))}getHexString(e=xi){return("000000"+this.getHex(e).toString(16)).slice(-6)}getHSL(e,t=vt.workingColorSpace){vt.fromWorkingColorSpace(mn.copy(this),t);const n=mn.r,s=mn.g,r=mn.b,a=Math.max(n,s,r),o=Math.min(n,s,r);let l,c;const u=(o+a)/2;if(o===a)l=0,c=0;else{const h=a-o;switch(c=u<=.5?h/(a+o):h/(2-a-o),a){case n:l=(s-r)/h+(s<r?6:0);break;case s:l=(r-n)/h+2;break;case r:l=(n-s)/h+4;break}l/=6}return e.h=l,e.s=c,e.l=u,e}getRGB(e,t=vt.workingColorSpace){return vt.fromWorkingColorSpace(mn.copy(this),t),e.r=mn.r,e.g=mn.g,e.b=mn.b,e}getStyle(e=xi){vt.fromWorkingColorSpace(mn.copy(this),e);const t=mn.r,n=mn.g,s=mn.b;return e!==xi?`color(${e} ${t.toFixed(3)} ${n.toFixed(3)} ${s.toFixed(3)})`:`rgb(${Math.round(t*255)},${Math.round(n*255)},${Math.round(s*255)})`}offsetHSL(e,t,n){return this.getHSL(qi),this.setHSL(qi.h+e,qi.s+t,qi.l+n)}add(e){return this.r+=e.r,this.g+=e.g,this.b+=e.b,this}addColors(e,t){return this.r=e.r+t.r,this.g=e.g+t.g,this.b=e.b+t.b,this}addScalar(e){return this.r+=e,this.g+=e,this.b+=e,this}sub(e){return this.r=Math.max(0,this.r-e.r),this.g=Math.max(0,this.g-e.g),this.b=Math.max(0,this.b-e.b),this}multiply(e){return this.r*=e.r,this.g*=e.g,this.b*=e.b,this}multiplyScalar(e){return this.r*=e,this.g*=e,this.b*=e,this}lerp(e,t){return this.r+=(e.r-this.r)*t,this.g+=(e.g-this.g)*t,this.b+=(e.b-this.b)*t,this}lerpColors(e,t,n){return this.r=e.r+(t.r-e.r)*n,this.g=e.g+(t.g-e.g)*n,this.b=e.b+(t.b-e.b)*n,this}lerpHSL(e,t){this.getHSL(qi),e.getHSL(Aa);const n=Ko(qi.h,Aa.h,t),s=Ko(qi.s,Aa.s,t),r=Ko(qi.l,Aa.l,t);return this.setHSL(n,s,r),this}setFromVector3(e){return this.r=e.x,this.g=e.y,this.b=e.z,this}applyMatrix3(e){const t=this.r,n=this.g,s=this.b,r=e.elements;return this.r=r[0]*t+r[3]*n+r[6]*s,this.g=r[1]*t+r[4]*n+r[7]*s,this.b=r[2]*t+r[5]*n+r[8]*s,this}equals(e){return e.r===this.r&&e.g===this.g&&e.b===this.b}fromArray(e,t=0){return this.r=e[t],this.g=e[t+1],this.b=e[t+2],this}toArray(e=[],t=0){return e[t]=this.r,e[t+1]=this.g,e[t+2]=this.b,e}fromBufferAttribute(e,t){return this.r=e.getX(t),this.g=e.getY(t),this.b=e.getZ(t),this}toJSON(){return this.getHex()}*[Symbol.iterator](){yield this.r,yield this.g,yield this.b}}const mn=new St;St.NAMES=gd;let Ag=0;class mo extends Ps{constructor(){super(),this.isMaterial=!0,Object.defineProperty(this,"id",{value:Ag++}),this.uuid=la(),this.name="",this.type="Material",this.blending=pr,this.side=is,this.vertexColors=!1,this.opacity=1,this.transparent=!1,this.alphaHash=!1,this.blendSrc=Gl,this.blendDst=Wl,this.blendEquation=xs,this.blendSrcAlpha=null,this.blendDstAlpha=null,this.blendEquationAlpha=null,this.blendColor=new St(0,0,0),this.blendAlpha=0,this.depthFunc=Qa,this.depthTest=!0,this.depthWrite=!0,this.stencilWriteMask=255,this.stencilFunc=Hu,this.stencilRef=0,this.stencilFuncMask=255,this.stencilFail=Xs,this.stencilZFail=Xs,this.stencilZPass=Xs,this.stencilWrite=!1,this.clippingPlanes=null,this.clipIntersection=!1,this.clipShadows=!1,this.shadowSide=null,this.colorWrite=!0,this.precision=null,this.polygonOffset=!1,this.polygonOffsetFactor=0,this.polygonOffsetUnits=0,this.dithering=!1,this.alphaToCoverage=!1,this.premultipliedAlpha=!1,this.forceSinglePass=!1,this.visible=!0,this.toneMapped=!0,this.userData={},this.version=0,this._alphaTest=0}get alphaTest(){return this._alphaTest}set alphaTest(e){this._alphaTest>0!=e>0&&this.version++,this._alphaTest=e}onBuild(){}onBeforeRender(){}onBeforeCompile(){}customProgramCacheKey(){return this.onBeforeCompile.toString()}setValues(e){if(e!==void 0)for(const t in e){const n=e[t];if(n===void 0){console.warn(`THREE.Material: parameter '${t}' has value of undefined.`);continue}const s=this[t];if(s===void 0){console.warn(`THREE.Material: '${t}' is not a property of THREE.${this.type}.`);continue}s&&s.isColor?s.set(n):s&&s.isVector3&&n&&n.isVector3?s.copy(n):this[t]=n}}toJSON(e){const t=e===void 0||typeof e=="string";t&&(e={textures:{},images:{}});const n={metadata:{version:4.6,type:"Material",generator:"Material.toJSON"}};n.uuid=this.uuid,n.type=this.type,this.name!==""&&(n.name=this.name),this.color&&this.color.isColor&&(n.color=this.color.getHex()),this.roughness!==void 0&&(n.roughness=this.roughness),this.metalness!==void 0&&(n.metalness=this.metalness),this.sheen!==void 0&&(n.sheen=this.sheen),this.sheenColor&&this.sheenColor.isColor&&(n.sheenColor=this.sheenColor.getHex()),this.sheenRoughness!==void 0&&(n.sheenRoughness=this.sheenRoughness),this.emissive&&this.emissive.isColor&&(n.emissive=this.emissive.getHex()),this.emissiveIntensity!==void 0&&this.emissiveIntensity!==1&&(n.emissiveIntensity=this.emissiveIntensity),this.specular&&this.specular.isColor&&(n.specular=this.specular.getHex()),this.specularIntensity!==void 0&&(n.specularIntensity=this.specularIntensity),this.specularColor&&this.specularColor.isColor&&(n.specularColor=this.specularColor.getHex()),this.shininess!==void 0&&(n.shininess=this.shininess),this.clearcoat!==void 0&&(n.clearcoat=this.clearcoat),this.clearcoatRoughness!==void 0&&(n.clearcoatRoughness=this.clearcoatRoughness),this.clearcoatMap&&this.clearcoatMap.isTexture&&(n.clearcoatMap=this.clearcoatMap.toJSON(e).uuid),this.clearcoatRoughnessMap&&this.clearcoatRoughnessMap.isTexture&&(n.clearcoatRoughnessMap=this.clearcoatRoughnessMap.toJSON(e).uuid),this.clearcoatNormalMap&&this.clearcoatNormalMap.isTexture&&(n.clearcoatNormalMap=this.clearcoatNormalMap.toJSON(e).uuid,n.clearcoatNormalScale=this.clearcoatNormalScale.toArray()),this.dispersion!==void 0&&(n.dispersion=this.dispersion),this.iridescence!==void 0&&(n.iridescence=this.iridescence),this.iridescenceIOR!==void 0&&(n.iridescenceIOR=this.iridescenceIOR),this.iridescenceThicknessRange!==void 0&&(n.iridescenceThicknessRange=this.iridescenceThicknessRange),this.iridescenceMap&&this.iridescenceMap.isTexture&&(n.iridescenceMap=this.iridescenceMap.toJSON(e).uuid),this.iridescenceThicknessMap&&this.iridescenceThicknessMap.isTexture&&(n.iridescenceThicknessMap=this.iridescenceThicknessMap.toJSON(e).uuid),this.anisotropy!==void 0&&(n.anisotropy=this.anisotropy),this.anisotropyRotation!==void 0&&(n.anisotropyRotation=this.anisotropyRotation),this.anisotropyMap&&this.anisotropyMap.isTexture&&(n.anisotropyMap=this.anisotropyMap.toJSON(e).uuid),this.map&&this.map.isTexture&&(n.map=this.map.toJSON(e).uuid),this.matcap&&this.matcap.isTexture&&(n.matcap=this.matcap.toJSON(e).uuid),this.alphaMap&&this.alphaMap.isTexture&&(n.alphaMap=this.alphaMap.toJSON(e).uuid),this.lightMap&&this.lightMap.isTexture&&(n.lightMap=this.lightMap.toJSON(e).uuid,n.lightMapIntensity=this.lightMapIntensity),this.aoMap&&this.aoMap.isTexture&&(n.aoMap=this.aoMap.toJSON(e).uuid,n.aoMapIntensity=this.aoMapIntensity),this.bumpMap&&this.bumpMap.isTexture&&(n.bumpMap=this.bumpMap.toJSON(e).uuid,n.bumpScale=this.bumpScale),this.normalMap&&this.normalMap.isTexture&&(n.normalMap=this.normalMap.toJSON(e).uuid,n.normalMapType=this.normalMapType,n.normalScale=this.normalScale.toArray()),this.displacementMap&&this.displacementMap.isTexture&&(n.displacementMap=this.displacementMap.toJSON(e).uuid,n.displacementScale=this.displacementScale,n.displacementBias=this.displacementBias),this.roughnessMap&&this.roughnessMap.isTexture&&(n.roughnessMap=this.roughnessMap.toJSON(e).uuid),this.metalnessMap&&this.metalnessMap.isTexture&&(n.metalnessMap=this.metalnessMap.toJSON(e).uuid),this.emissiveMap&&this.emissiveMap.isTexture&&(n.emissiveMap=this.emissiveMap.toJSON(e).uuid),this.specularMap&&this.specularMap.isTexture&&(n.specularMap=this.specularMap.toJSON(e).uuid),this.specularIntensityMap&&this.specularIntensityMap.isTexture&&(n.specularIntensityMap=this.specularIntensityMap.toJSON(e).uuid),this.specularColorMap&&this.specularColorMap.isTexture&&(n.specularColorMap=this.specularColorMap.toJSON(e).uuid),this.envMap&&this.envMap.isTexture&&(n.envMap=this.envMap.toJSON(e).uuid,this.combine!==void 0&&(n.combine=this.combine)),this.envMapRotation!==void 0&&(n.envMapRotation=this.envMapRotation.toArray()),this.envMapIntensity!==void 0&&(n.envMapIntensity=this.envMapIntensity),this.reflectivity!==void 0&&(n.reflectivity=this.reflectivity),this.refractionRatio!==void 0&&(n.refractionRatio=this.refractionRatio),this.gradientMap&&this.gradientMap.isTexture&&(n.gradientMap=this.gradientMap.toJSON(e).uuid),this.transmission!==void 0&&(n.transmission=this.transmission),this.transmissionMap&&this.transmissionMap.isTexture&&(n.transmissionMap=this.transmissionMap.toJSON(e).uuid),this.thickness!==void 0&&(n.thickness=this.thickness),this.thicknessMap&&this.thicknessMap.isTexture&&(n.thicknessMap=this.thicknessMap.toJSON(e).uuid),this.attenuationDistance!==void 0&&this.attenuationDistance!==1/0&&(n.attenuationDistance=this.attenuationDistance),this.attenuationColor!==void 0&&(n.attenuationColor=this.attenuationColor.getHex()),this.size!==void 0&&(n.size=this.size),this.shadowSide!==null&&(n.shadowSide=this.shadowSide),this.sizeAttenuation!==void 0&&(n.sizeAttenuation=this.sizeAttenuation),this.blending!==pr&&(n.blending=this.blending),this.side!==is&&(n.side=this.side),this.vertexColors===!0&&(n.vertexColors=!0),this.opacity<1&&(n.opacity=this.opacity),this.transparent===!0&&(n.transparent=!0),this.blendSrc!==Gl&&(n.blendSrc=this.blendSrc),this.blendDst!==Wl&&(n.blendDst=this.blendDst),this.blendEquation!==xs&&(n.blendEquation=this.blendEquation),this.blendSrcAlpha!==null&&(n.blendSrcAlpha=this.blendSrcAlpha),this.blendDstAlpha!==null&&(n.blendDstAlpha=this.blendDstAlpha),this.blendEquationAlpha!==null&&(n.blendEquationAlpha=this.blendEquationAlpha),this.blendColor&&this.blendColor.isColor&&(n.blendColor=this.blendColor.getHex()),this.blendAlpha!==0&&(n.blendAlpha=this.blendAlpha),this.depthFunc!==Qa&&(n.depthFunc=this.depthFunc),this.depthTest===!1&&(n.depthTest=this.depthTest),this.depthWrite===!1&&(n.depthWrite=this.depthWrite),this.colorWrite===!1&&(n.colorWrite=this.colorWrite),this.stencilWriteMask!==255&&(n.stencilWriteMask=this.stencilWriteMask),this.stencilFunc!==Hu&&(n.stencilFunc=this.stencilFunc),this.stencilRef!==0&&(n.stencilRef=this.stencilRef),this.stencilFuncMask!==255&&(n.stencilFuncMask=this.stencilFuncMask),this.stencilFail!==Xs&&(n.stencilFail=this.stencilFail),this.stencilZFail!==Xs&&(n.stencilZFail=this.stencilZFail),this.stencilZPass!==Xs&&(n.stencilZPass=this.stencilZPass),this.stencilWrite===!0&&(n.stencilWrite=this.stencilWrite),this.rotation!==void 0&&this.rotation!==0&&(n.rotation=this.rotation),this.polygonOffset===!0&&(n.polygonOffset=!0),this.polygonOffsetFactor!==0&&(n.polygonOffsetFactor=this.polygonOffsetFactor),this.polygonOffsetUnits!==0&&(n.polygonOffsetUnits=this.polygonOffsetUnits),this.linewidth!==void 0&&this.linewidth!==1&&(n.linewidth=this.linewidth),this.dashSize!==void 0&&(n.dashSize=this.dashSize),this.gapSize!==void 0&&(n.gapSize=this.gapSize),this.scale!==void 0&&(n.scale=this.scale),this.dithering===!0&&(n.dithering=!0),this.alphaTest>0&&(n.alphaTest=this.alphaTest),this.alphaHash===!0&&(n.alphaHash=!0),this.alphaToCoverage===!0&&(n.alphaToCoverage=!0),this.premultipliedAlpha===!0&&(n.premultipliedAlpha=!0),this.forceSinglePass===!0&&(n.forceSinglePass=!0),this.wireframe===!0&&(n.wireframe=!0),this.wireframeLinewidth>1&&(n.wireframeLinewidth=this.wireframeLinewidth),this.wireframeLinecap!=="round"&&(n.wireframeLinecap=this.wireframeLinecap),this.wireframeLinejoin!=="round"&&(n.wireframeLinejoin=this.wireframeLinejoin),this.flatShading===!0&&(n.flatShading=!0),this.visible===!1&&(n.visible=!1),this.toneMapped===!1&&(n.toneMapped=!1),this.fog===!1&&(n.fog=!1),Object.keys(this.userData).length>0&&(n.userData=this.userData);function s(r){const a=[];for(const o in r){const l=r[o];delete l.metadata,a.push(l)}return a}if(t){const r=s(e.textures),a=s(e.images);r.length>0&&(n.textures=r),a.length>0&&(n.images=a)}return n}clone(){return new this.constructor().copy(this)}copy(e){this.name=e.name,this.blending=e.blending,this.side=e.side,this.vertexColors=e.vertexColors,this.opacity=e.opacity,this.transparent=e.transparent,this.blendSrc=e.blendSrc,this.blendDst=e.blendDst,this.blendEquation=e.blendEquation,this.blendSrcAlpha=e.blendSrcAlpha,this.blendDstAlpha=e.blendDstAlpha,this.blendEquationAlpha=e.blendEquationAlpha,this.blendColor.copy(e.blendColor),this.blendAlpha=e.blendAlpha,this.depthFunc=e.depthFunc,this.depthTest=e.depthTest,this.depthWrite=e.depthWrite,this.stencilWriteMask=e.stencilWriteMask,this.stencilFunc=e.stencilFunc,this.stencilRef=e.stencilRef,this.stencilFuncMask=e.stencilFuncMask,this.stencilFail=e.stencilFail,this.stencilZFail=e.stencilZFail,this.stencilZPass=e.stencilZPass,this.stencilWrite=e.stencilWrite;const t=e.clippingPlanes;let n=null;if(t!==null){const s=t.length;n=new Array(s);for(let r=0;r!==s;++r)n[r]=t[r].clone()}return this.clippingPlanes=n,this.clipIntersection=e.clipIntersection,this.clipShadows=e.clipShadows,this.shadowSide=e.shadowSide,this.colorWrite=e.colorWrite,this.precision=e.precision,this.polygonOffset=e.polygonOffset,this.polygonOffsetFactor=e.polygonOffsetFactor,this.polygonOffsetUnits=e.polygonOffsetUnits,this.dithering=e.dithering,this.alphaTest=e.alphaTest,this.alphaHash=e.alphaHash,this.alphaToCoverage=e.alphaToCoverage,this.premultipliedAlpha=e.premultipliedAlpha,this.forceSinglePass=e.forceSinglePass,this.visible=e.visible,this.toneMapped=e.toneMapped,this.userData=JSON.parse(JSON.stringify(e.userData)),this}dispose(){this.dispatchEvent({type:"dispose"})}set needsUpdate(e){e===!0&&this.version++}}class ro extends mo{constructor(e){super(),this.isMeshBasicMaterial=!0,this.type="MeshBasicMaterial",this.color=new St(16777215),this.map=null,this.lightMap=null,this.lightMapIntensity=1,this.aoMap=null,this.aoMapIntensity=1,this.specularMap=null,this.alphaMap=null,this.envMap=null,this.envMapRotation=new Fi,this.combine=id,this.reflectivity=1,this.refractionRatio=.98,this.wireframe=!1,this.wireframeLinewidth=1,this.wireframeLinecap="round",this.wireframeLinejoin="round",this.fog=!0,this.setValues(e)}copy(e){return super.copy(e),this.color.copy(e.color),this.map=e.map,this.lightMap=e.lightMap,this.lightMapIntensity=e.lightMapIntensity,this.aoMap=e.aoMap,this.aoMapIntensity=e.aoMapIntensity,this.specularMap=e.specularMap,this.alphaMap=e.alphaMap,this.envMap=e.envMap,this.envMapRotation.copy(e.envMapRotation),this.combine=e.combine,this.reflectivity=e.reflectivity,this.refractionRatio=e.refractionRatio,this.wireframe=e.wireframe,this.wireframeLinewidth=e.wireframeLinewidth,this.wireframeLinecap=e.wireframeLinecap,this.wireframeLinejoin=e.wireframeLinejoin,this.fog=e.fog,this}}const $t=new Y,Ra=new ze;class An{constructor(e,t,n=!1){if(Array.isArray(e))throw new TypeError("THREE.BufferAttribute: array should be a Typed Array.");this.isBufferAttribute=!0,this.name="",this.array=e,this.itemSize=t,this.count=e!==void 0?e.length/t:0,this.normalized=n,this.usage=Vu,this._updateRange={offset:0,count:-1},this.updateRanges=[],this.gpuType=es,this.version=0}onUploadCallback(){}set needsUpdate(e){e===!0&&this.version++}get updateRange(){return dg("THREE.BufferAttribute: updateRange() is deprecated and will be removed in r169. Use addUpdateRange() instead."),this._updateRange}setUsage(e){return this.usage=e,this}addUpdateRange(e,t){this.updateRanges.push({start:e,count:t})}clearUpdateRanges(){this.updateRanges.length=0}copy(e){return this.name=e.name,this.array=new e.array.constructor(e.array),this.itemSize=e.itemSize,this.count=e.count,this.normalized=e.normalized,this.usage=e.usage,this.gpuType=e.gpuType,this}copyAt(e,t,n){e*=this.itemSize,n*=t.itemSize;for(let s=0,r=this.itemSize;s<r;s++)this.array[e+s]=t.array[n+s];return this}copyArray(e){return this.array.set(e),this}applyMatrix3(e){if(this.itemSize===2)for(let t=0,n=this.count;t<n;t++)Ra.fromBufferAttribute(this,t),Ra.applyMatrix3(e),this.setXY(t,Ra.x,Ra.y);else if(this.itemSize===3)for(let t=0,n=this.count;t<n;t++)$t.fromBufferAttribute(this,t),$t.applyMatrix3(e),this.setXYZ(t,$t.x,$t.y,$t.z);return this}applyMatrix4(e){for(let t=0,n=this.count;t<n;t++)$t.fromBufferAttribute(this,t),$t.applyMatrix4(e),this.setXYZ(t,$t.x,$t.y,$t.z);return this}applyNormalMatrix(e){for(let t=0,n=this.count;t<n;t++)$t.fromBufferAttribute(this,t),$t.applyNormalMatrix(e),this.setXYZ(t,$t.x,$t.y,$t.z);return this}transformDirection(e){for(let t=0,n=this.count;t<n;t++)$t.fromBufferAttribute(this,t),$t.transformDirection(e),this.setXYZ(t,$t.x,$t.y,$t.z);return this}set(e,t=0){return this.array.set(e,t),this}getComponent(e,t){let n=this.array[e*this.itemSize+t];return this.normalized&&(n=Br(n,this.array)),n}setComponent(e,t,n){return this.normalized&&(n=Cn(n,this.array)),this.array[e*this.itemSize+t]=n,this}getX(e){let t=this.array[e*this.itemSize];return this.normalized&&(t=Br(t,this.array)),t}setX(e,t){return this.normalized&&(t=Cn(t,this.array)),this.array[e*this.itemSize]=t,this}getY(e){let t=this.array[e*this.itemSize+1];return this.normalized&&(t=Br(t,this.array)),t}setY(e,t){return this.normalized&&(t=Cn(t,this.array)),this.array[e*this.itemSize+1]=t,this}getZ(e){let t=this.array[e*this.itemSize+2];return this.normalized&&(t=Br(t,this.array)),t}setZ(e,t){return this.normalized&&(t=Cn(t,this.array)),this.array[e*this.itemSize+2]=t,this}getW(e){let t=this.array[e*this.itemSize+3];return this.normalized&&(t=Br(t,this.array)),t}setW(e,t){return this.normalized&&(t=Cn(t,this.array)),this.array[e*this.itemSize+3]=t,this}setXY(e,t,n){return e*=this.itemSize,this.normalized&&(t=Cn(t,this.array),n=Cn(n,this.array)),this.array[e+0]=t,this.array[e+1]=n,this}setXYZ(e,t,n,s){return e*=this.itemSize,this.normalized&&(t=Cn(t,this.array),n=Cn(n,this.array),s=Cn(s,this.array)),this.array[e+0]=t,this.array[e+1]=n,this.array[e+2]=s,this}setXYZW(e,t,n,s,r){return e*=this.itemSize,this.normalized&&(t=Cn(t,this.array),n=Cn(n,this.array),s=Cn(s,this.array),r=Cn(r,this.array)),this.array[e+0]=t,this.array[e+1]=n,this.array[e+2]=s,this.array[e+3]=r,this}onUpload(e){return this.onUploadCallback=e,this}clone(){return new this.constructor(this.array,this.itemSize).copy(this)}toJSON(){const e={itemSize:this.itemSize,type:this.array.constructor.name,array:Array.from(this.array),normalized:this.normalized};return this.name!==""&&(e.name=this.name),this.usage!==Vu&&(e.usage=this.usage),e}}class _d extends An{constructor(e,t,n){super(new Uint16Array(e),t,n)}}class vd extends An{constructor(e,t,n){super(new Uint32Array(e),t,n)}}class Vn extends An{constructor(e,t,n){super(new Float32Array(e),t,n)}}let Rg=0;const qn=new zt,fl=new Hn,nr=new Y,Bn=new ca,Gr=new ca,on=new Y;class di extends Ps{constructor(){super(),this.isBufferGeometry=!0,Object.defineProperty(this,"id",{value:Rg++}),this.uuid=la(),this.name="",this.type="BufferGeometry",this.index=null,this.attributes={},this.morphAttributes={},this.morphTargetsRelative=!1,this.groups=[],this.boundingBox=null,this.boundingSphere=null,this.drawRange={start:0,count:1/0},this.userData={}}getIndex(){return this.index}setIndex(e){return Array.isArray(e)?this.index=new(dd(e)?vd:_d)(e,1):this.index=e,this}getAttribute(e){return this.attributes[e]}setAttribute(e,t){return this.attributes[e]=t,this}deleteAttribute(e){return delete this.attributes[e],this}hasAttribute(e){return this.attributes[e]!==void 0}addGroup(e,t,n=0){this.groups.push({start:e,count:t,materialIndex:n})}clearGroups(){this.groups=[]}setDrawRange(e,t){this.drawRange.start=e,this.drawRange.count=t}applyMatrix4(e){const t=this.attributes.position;t!==void 0&&(t.applyMatrix4(e),t.needsUpdate=!0);const n=this.attributes.normal;if(n!==void 0){const r=new rt().getNormalMatrix(e);n.applyNormalMatrix(r),n.needsUpdate=!0}const s=this.attributes.tangent;return s!==void 0&&(s.transformDirection(e),s.needsUpdate=!0),this.boundingBox!==null&&this.computeBoundingBox(),this.boundingSphere!==null&&this.computeBoundingSphere(),this}applyQuaternion(e){return qn.makeRotationFromQuaternion(e),this.applyMatrix4(qn),this}rotateX(e){return qn.makeRotationX(e),this.applyMatrix4(qn),this}rotateY(e){return qn.makeRotationY(e),this.applyMatrix4(qn),this}rotateZ(e){return qn.makeRotationZ(e),this.applyMatrix4(qn),this}translate(e,t,n){return qn.makeTranslation(e,t,n),this.applyMatrix4(qn),this}scale(e,t,n){return qn.makeScale(e,t,n),this.applyMatrix4(qn),this}lookAt(e){return fl.lookAt(e),fl.updateMatrix(),this.applyMatrix4(fl.matrix),this}center(){return this.computeBoundingBox(),this.boundingBox.getCenter(nr).negate(),this.translate(nr.x,nr.y,nr.z),this}setFromPoints(e){const t=[];for(let n=0,s=e.length;n<s;n++){const r=e[n];t.push(r.x,r.y,r.z||0)}return this.setAttribute("position",new Vn(t,3)),this}computeBoundingBox(){this.boundingBox===null&&(this.boundingBox=new ca);const e=this.attributes.position,t=this.morphAttributes.position;if(e&&e.isGLBufferAttribute){console.error("THREE.BufferGeometry.computeBoundingBox(): GLBufferAttribute requires a manual bounding box.",this),this.boundingBox.set(new Y(-1/0,-1/0,-1/0),new Y(1/0,1/0,1/0));return}if(e!==void 0){if(this.boundingBox.setFromBufferAttribute(e),t)for(let n=0,s=t.length;n<s;n++){const r=t[n];Bn.setFromBufferAttribute(r),this.morphTargetsRelative?(on.addVectors(this.boundingBox.min,Bn.min),this.boundingBox.expandByPoint(on),on.addVectors(this.boundingBox.max,Bn.max),this.boundingBox.expandByPoint(on)):(this.boundingBox.expandByPoint(Bn.min),this.boundingBox.expandByPoint(Bn.max))}}else this.boundingBox.makeEmpty();(isNaN(this.boundingBox.min.x)||isNaN(this.boundingBox.min.y)||isNaN(this.boundingBox.min.z))&&console.error('THREE.BufferGeometry.computeBoundingBox(): Computed min/max have NaN values. The "position" attribute is likely to have NaN values.',this)}computeBoundingSphere(){this.boundingSphere===null&&(this.boundingSphere=new mc);const e=this.attributes.position,t=this.morphAttributes.position;if(e&&e.isGLBufferAttribute){console.error("THREE.BufferGeometry.computeBoundingSphere(): GLBufferAttribute requires a manual bounding sphere.",this),this.boundingSphere.set(new Y,1/0);return}if(e){const n=this.boundingSphere.center;if(Bn.setFromBufferAttribute(e),t)for(let r=0,a=t.length;r<a;r++){const o=t[r];Gr.setFromBufferAttribute(o),this.morphTargetsRelative?(on.addVectors(Bn.min,Gr.min),Bn.expandByPoint(on),on.addVectors(Bn.max,Gr.max),Bn.expandByPoint(on)):(Bn.expandByPoint(Gr.min),Bn.expandByPoint(Gr.max))}Bn.getCenter(n);let s=0;for(let r=0,a=e.count;r<a;r++)on.fromBufferAttribute(e,r),s=Math.max(s,n.distanceToSquared(on));if(t)for(let r=0,a=t.length;r<a;r++){const o=t[r],l=this.morphTargetsRelative;for(let c=0,u=o.count;c<u;c++)on.fromBufferAttribute(o,c),l&&(nr.fromBufferAttribute(e,c),on.add(nr)),s=Math.max(s,n.distanceToSquared(on))}this.boundingSphere.radius=Math.sqrt(s),isNaN(this.boundingSphere.radius)&&console.error('THREE.BufferGeometry.computeBoundingSphere(): Computed radius is NaN. The "position" attribute is likely to have NaN values.',this)}}computeTangents(){const e=this.index,t=this.attributes;if(e===null||t.position===void 0||t.normal===void 0||t.uv===void 0){console.error("THREE.BufferGeometry: .computeTangents() failed. Missing required attributes (index, position, normal or uv)");return}const n=t.position,s=t.normal,r=t.uv;this.hasAttribute("tangent")===!1&&this.setAttribute("tangent",new An(new Float32Array(4*n.count),4));const a=this.getAttribute("tangent"),o=[],l=[];for(let N=0;N<n.count;N++)o[N]=new Y,l[N]=new Y;const c=new Y,u=new Y,h=new Y,f=new ze,p=new ze,_=new ze,x=new Y,m=new Y;function d(N,E,v){c.fromBufferAttribute(n,N),u.fromBufferAttribute(n,E),h.fromBufferAttribute(n,v),f.fromBufferAttribute(r,N),p.fromBufferAttribute(r,E),_.fromBufferAttribute(r,v),u.sub(c),h.sub(c),p.sub(f),_.sub(f);const L=1/(p.x*_.y-_.x*p.y);isFinite(L)&&(x.copy(u).multiplyScalar(_.y).addScaledVector(h,-p.y).multiplyScalar(L),m.copy(h).multiplyScalar(p.x).addScaledVector(u,-_.x).multiplyScalar(L),o[N].add(x),o[E].add(x),o[v].add(x),l[N].add(m),l[E].add(m),l[v].add(m))}let y=this.groups;y.length===0&&(y=[{start:0,count:e.count}]);for(let N=0,E=y.length;N<E;++N){const v=y[N],L=v.start,z=v.count;for(let I=L,K=L+z;I<K;I+=3)d(e.getX(I+0),e.getX(I+1),e.getX(I+2))}const M=new Y,w=new Y,V=new Y,T=new Y;function C(N){V.fromBufferAttribute(s,N),T.copy(V);const E=o[N];M.copy(E),M.sub(V.multiplyScalar(V.dot(E))).normalize(),w.crossVectors(T,E);const L=w.dot(l[N])<0?-1:1;a.setXYZW(N,M.x,M.y,M.z,L)}for(let N=0,E=y.length;N<E;++N){const v=y[N],L=v.start,z=v.count;for(let I=L,K=L+z;I<K;I+=3)C(e.getX(I+0)),C(e.getX(I+1)),C(e.getX(I+2))}}computeVertexNormals(){const e=this.index,t=this.getAttribute("position");if(t!==void 0){let n=this.getAttribute("normal");if(n===void 0)n=new An(new Float32Array(t.count*3),3),this.setAttribute("normal",n);else for(let f=0,p=n.count;f<p;f++)n.setXYZ(f,0,0,0);const s=new Y,r=new Y,a=new Y,o=new Y,l=new Y,c=new Y,u=new Y,h=new Y;if(e)for(let f=0,p=e.count;f<p;f+=3){const _=e.getX(f+0),x=e.getX(f+1),m=e.getX(f+2);s.fromBufferAttribute(t,_),r.fromBufferAttribute(t,x),a.fromBufferAttribute(t,m),u.subVectors(a,r),h.subVectors(s,r),u.cross(h),o.fromBufferAttribute(n,_),l.fromBufferAttribute(n,x),c.fromBufferAttribute(n,m),o.add(u),l.add(u),c.add(u),n.setXYZ(_,o.x,o.y,o.z),n.setXYZ(x,l.x,l.y,l.z),n.setXYZ(m,c.x,c.y,c.z)}else for(let f=0,p=t.count;f<p;f+=3)s.fromBufferAttribute(t,f+0),r.fromBufferAttribute(t,f+1),a.fromBufferAttribute(t,f+2),u.subVectors(a,r),h.subVectors(s,r),u.cross(h),n.setXYZ(f+0,u.x,u.y,u.z),n.setXYZ(f+1,u.x,u.y,u.z),n.setXYZ(f+2,u.x,u.y,u.z);this.normalizeNormals(),n.needsUpdate=!0}}normalizeNormals(){const e=this.attributes.normal;for(let t=0,n=e.count;t<n;t++)on.fromBufferAttribute(e,t),on.normalize(),e.setXYZ(t,on.x,on.y,on.z)}toNonIndexed(){function e(o,l){const c=o.array,u=o.itemSize,h=o.normalized,f=new c.constructor(l.length*u);let p=0,_=0;for(let x=0,m=l.length;x<m;x++){o.isInterleavedBufferAttribute?p=l[x]*o.data.stride+o.offset:p=l[x]*u;for(let d=0;d<u;d++)f[_++]=c[p++]}return new An(f,u,h)}if(this.index===null)return console.warn("THREE.BufferGeometry.toNonIndexed(): BufferGeometry is already non-indexed."),this;const t=new di,n=this.index.array,s=this.attributes;for(const o in s){const l=s[o],c=e(l,n);t.setAttribute(o,c)}const r=this.morphAttributes;for(const o in r){const l=[],c=r[o];for(let u=0,h=c.length;u<h;u++){const f=c[u],p=e(f,n);l.push(p)}t.morphAttributes[o]=l}t.morphTargetsRelative=this.morphTargetsRelative;const a=this.groups;for(let o=0,l=a.length;o<l;o++){const c=a[o];t.addGroup(c.start,c.count,c.materialIndex)}return t}toJSON(){const e={metadata:{version:4.6,type:"BufferGeometry",generator:"BufferGeometry.toJSON"}};if(e.uuid=this.uuid,e.type=this.type,this.name!==""&&(e.name=this.name),Object.keys(this.userData).length>0&&(e.userData=this.userData),this.parameters!==void 0){const l=this.parameters;for(const c in l)l[c]!==void 0&&(e[c]=l[c]);return e}e.data={attributes:{}};const t=this.index;t!==null&&(e.data.index={type:t.array.constructor.name,array:Array.prototype.slice.call(t.array)});const n=this.attributes;for(const l in n){const c=n[l];e.data.attributes[l]=c.toJSON(e.data)}const s={};let r=!1;for(const l in this.morphAttributes){const c=this.morphAttributes[l],u=[];for(let h=0,f=c.length;h<f;h++){const p=c[h];u.push(p.toJSON(e.data))}u.length>0&&(s[l]=u,r=!0)}r&&(e.data.morphAttributes=s,e.data.morphTargetsRelative=this.morphTargetsRelative);const a=this.groups;a.length>0&&(e.data.groups=JSON.parse(JSON.stringify(a)));const o=this.boundingSphere;return o!==null&&(e.data.boundingSphere={center:o.center.toArray(),radius:o.radius}),e}clone(){return new this.constructor().copy(this)}copy(e){this.index=null,this.attributes={},this.morphAttributes={},this.groups=[],this.boundingBox=null,this.boundingSphere=null;const t={};this.name=e.name;const n=e.index;n!==null&&this.setIndex(n.clone(t));const s=e.attributes;for(const c in s){const u=s[c];this.setAttribute(c,u.clone(t))}const r=e.morphAttributes;for(const c in r){const u=[],h=r[c];for(let f=0,p=h.length;f<p;f++)u.push(h[f].clone(t));this.morphAttributes[c]=u}this.morphTargetsRelative=e.morphTargetsRelative;const a=e.groups;for(let c=0,u=a.length;c<u;c++){const h=a[c];this.addGroup(h.start,h.count,h.materialIndex)}const o=e.boundingBox;o!==null&&(this.boundingBox=o.clone());const l=e.boundingSphere;return l!==null&&(this.boundingSphere=l.clone()),this.drawRange.start=e.drawRange.start,this.drawRange.count=e.drawRange.count,this.userData=e.userData,this}dispose(){this.dispatchEvent({type:"dispose"})}}const nh=new zt,hs=new gc,Ca=new mc,ih=new Y,ir=new Y,sr=new Y,rr=new Y,dl=new Y,Pa=new Y,La=new ze,Da=new ze,Ua=new ze,sh=new Y,rh=new Y,ah=new Y,Ia=new Y,Na=new Y;class Dn extends Hn{constructor(e=new di,t=new ro){super(),this.isMesh=!0,this.type="Mesh",this.geometry=e,this.material=t,this.updateMorphTargets()}copy(e,t){return super.copy(e,t),e.morphTargetInfluences!==void 0&&(this.morphTargetInfluences=e.morphTargetInfluences.slice()),e.morphTargetDictionary!==void 0&&(this.morphTargetDictionary=Object.assign({},e.morphTargetDictionary)),this.material=Array.isArray(e.material)?e.material.slice():e.material,this.geometry=e.geometry,this}updateMorphTargets(){const t=this.geometry.morphAttributes,n=Object.keys(t);if(n.length>0){const s=t[n[0]];if(s!==void 0){this.morphTargetInfluences=[],this.morphTargetDictionary={};for(let r=0,a=s.length;r<a;r++){const o=s[r].name||String(r);this.morphTargetInfluences.push(0),this.morphTargetDictionary[o]=r}}}}getVertexPosition(e,t){const n=this.geometry,s=n.attributes.position,r=n.morphAttributes.position,a=n.morphTargetsRelative;t.fromBufferAttribute(s,e);const o=this.morphTargetInfluences;if(r&&o){Pa.set(0,0,0);for(let l=0,c=r.length;l<c;l++){const u=o[l],h=r[l];u!==0&&(dl.fromBufferAttribute(h,e),a?Pa.addScaledVector(dl,u):Pa.addScaledVector(dl.sub(t),u))}t.add(Pa)}return t}raycast(e,t){const n=this.geometry,s=this.material,r=this.matrixWorld;s!==void 0&&(n.boundingSphere===null&&n.computeBoundingSphere(),Ca.copy(n.boundingSphere),Ca.applyMatrix4(r),hs.copy(e.ray).recast(e.near),!(Ca.containsPoint(hs.origin)===!1&&(hs.intersectSphere(Ca,ih)===null||hs.origin.distanceToSquared(ih)>(e.far-e.near)**2))&&(nh.copy(r).invert(),hs.copy(e.ray).applyMatrix4(nh),!(n.boundingBox!==null&&hs.intersectsBox(n.boundingBox)===!1)&&this._computeIntersections(e,t,hs)))}_computeIntersections(e,t,n){let s;const r=this.geometry,a=this.material,o=r.index,l=r.attributes.position,c=r.attributes.uv,u=r.attributes.uv1,h=r.attributes.normal,f=r.groups,p=r.drawRange;if(o!==null)if(Array.isArray(a))for(let _=0,x=f.length;_<x;_++){const m=f[_],d=a[m.materialIndex],y=Math.max(m.start,p.start),M=Math.min(o.count,Math.min(m.start+m.count,p.start+p.count));for(let w=y,V=M;w<V;w+=3){const T=o.getX(w),C=o.getX(w+1),N=o.getX(w+2);s=Oa(this,d,e,n,c,u,h,T,C,N),s&&(s.faceIndex=Math.floor(w/3),s.face.materialIndex=m.materialIndex,t.push(s))}}else{const _=Math.max(0,p.start),x=Math.min(o.count,p.start+p.count);for(let m=_,d=x;m<d;m+=3){const y=o.getX(m),M=o.getX(m+1),w=o.getX(m+2);s=Oa(this,a,e,n,c,u,h,y,M,w),s&&(s.faceIndex=Math.floor(m/3),t.push(s))}}else if(l!==void 0)if(Array.isArray(a))for(let _=0,x=f.length;_<x;_++){const m=f[_],d=a[m.materialIndex],y=Math.max(m.start,p.start),M=Math.min(l.count,Math.min(m.start+m.count,p.start+p.count));for(let w=y,V=M;w<V;w+=3){const T=w,C=w+1,N=w+2;s=Oa(this,d,e,n,c,u,h,T,C,N),s&&(s.faceIndex=Math.floor(w/3),s.face.materialIndex=m.materialIndex,t.push(s))}}else{const _=Math.max(0,p.start),x=Math.min(l.count,p.start+p.count);for(let m=_,d=x;m<d;m+=3){const y=m,M=m+1,w=m+2;s=Oa(this,a,e,n,c,u,h,y,M,w),s&&(s.faceIndex=Math.floor(m/3),t.push(s))}}}}function Cg(i,e,t,n,s,r,a,o){let l;if(e.side===Un?l=n.intersectTriangle(a,r,s,!0,o):l=n.intersectTriangle(s,r,a,e.side===is,o),l===null)return null;Na.copy(o),Na.applyMatrix4(i.matrixWorld);const c=t.ray.origin.distanceTo(Na);return c<t.near||c>t.far?null:{distance:c,point:Na.clone(),object:i}}function Oa(i,e,t,n,s,r,a,o,l,c){i.getVertexPosition(o,ir),i.getVertexPosition(l,sr),i.getVertexPosition(c,rr);const u=Cg(i,e,t,n,ir,sr,rr,Ia);if(u){s&&(La.fromBufferAttribute(s,o),Da.fromBufferAttribute(s,l),Ua.fromBufferAttribute(s,c),u.uv=Si.getInterpolation(Ia,ir,sr,rr,La,Da,Ua,new ze)),r&&(La.fromBufferAttribute(r,o),Da.fromBufferAttribute(r,l),Ua.fromBufferAttribute(r,c),u.uv1=Si.getInterpolation(Ia,ir,sr,rr,La,Da,Ua,new ze)),a&&(sh.fromBufferAttribute(a,o),rh.fromBufferAttribute(a,l),ah.fromBufferAttribute(a,c),u.normal=Si.getInterpolation(Ia,ir,sr,rr,sh,rh,ah,new Y),u.normal.dot(n.direction)>0&&u.normal.multiplyScalar(-1));const h={a:o,b:l,c,normal:new Y,materialIndex:0};Si.getNormal(ir,sr,rr,h.normal),u.face=h}return u}class ua extends di{constructor(e=1,t=1,n=1,s=1,r=1,a=1){super(),this.type="BoxGeometry",this.parameters={width:e,height:t,depth:n,widthSegments:s,heightSegments:r,depthSegments:a};const o=this;s=Math.floor(s),r=Math.floor(r),a=Math.floor(a);const l=[],c=[],u=[],h=[];let f=0,p=0;_("z","y","x",-1,-1,n,t,e,a,r,0),_("z","y","x",1,-1,n,t,-e,a,r,1),_("x","z","y",1,1,e,n,t,s,a,2),_("x","z","y",1,-1,e,n,-t,s,a,3),_("x","y","z",1,-1,e,t,n,s,r,4),_("x","y","z",-1,-1,e,t,-n,s,r,5),this.setIndex(l),this.setAttribute("position",new Vn(c,3)),this.setAttribute("normal",new Vn(u,3)),this.setAttribute("uv",new Vn(h,2));function _(x,m,d,y,M,w,V,T,C,N,E){const v=w/C,L=V/N,z=w/2,I=V/2,K=T/2,q=C+1,te=N+1;let ie=0,ne=0;const fe=new Y;for(let G=0;G<te;G++){const ce=G*L-I;for(let O=0;O<q;O++){const B=O*v-z;fe[x]=B*y,fe[m]=ce*M,fe[d]=K,c.push(fe.x,fe.y,fe.z),fe[x]=0,fe[m]=0,fe[d]=T>0?1:-1,u.push(fe.x,fe.y,fe.z),h.push(O/C),h.push(1-G/N),ie+=1}}for(let G=0;G<N;G++)for(let ce=0;ce<C;ce++){const O=f+ce+q*G,B=f+ce+q*(G+1),U=f+(ce+1)+q*(G+1),W=f+(ce+1)+q*G;l.push(O,B,W),l.push(B,U,W),ne+=6}o.addGroup(p,ne,E),p+=ne,f+=ie}}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}static fromJSON(e){return new ua(e.width,e.height,e.depth,e.widthSegments,e.heightSegments,e.depthSegments)}}function yr(i){const e={};for(const t in i){e[t]={};for(const n in i[t]){const s=i[t][n];s&&(s.isColor||s.isMatrix3||s.isMatrix4||s.isVector2||s.isVector3||s.isVector4||s.isTexture||s.isQuaternion)?s.isRenderTargetTexture?(console.warn("UniformsUtils: Textures of render targets cannot be cloned via cloneUniforms() or mergeUniforms()."),e[t][n]=null):e[t][n]=s.clone():Array.isArray(s)?e[t][n]=s.slice():e[t][n]=s}}return e}function En(i){const e={};for(let t=0;t<i.length;t++){const n=yr(i[t]);for(const s in n)e[s]=n[s]}return e}function Pg(i){const e=[];for(let t=0;t<i.length;t++)e.push(i[t].clone());return e}function xd(i){const e=i.getRenderTarget();return e===null?i.outputColorSpace:e.isXRRenderTarget===!0?e.texture.colorSpace:vt.workingColorSpace}const Lg={clone:yr,merge:En};var Dg=`void main() {
	gl_Position = projectionMatrix * modelViewMatrix * vec4( position, 1.0 );
}`,Ug=`void main() {
	gl_FragColor = vec4( 1.0, 0.0, 0.0, 1.0 );
}`;class Ei extends mo{constructor(e){super(),this.isShaderMaterial=!0,this.type="ShaderMaterial",this.defines={},this.uniforms={},this.uniformsGroups=[],this.vertexShader=Dg,this.fragmentShader=Ug,this.linewidth=1,this.wireframe=!1,this.wireframeLinewidth=1,this.fog=!1,this.lights=!1,this.clipping=!1,this.forceSinglePass=!0,this.extensions={clipCullDistance:!1,multiDraw:!1},this.defaultAttributeValues={color:[1,1,1],uv:[0,0],uv1:[0,0]},this.index0AttributeName=void 0,this.uniformsNeedUpdate=!1,this.glslVersion=null,e!==void 0&&this.setValues(e)}copy(e){return super.copy(e),this.fragmentShader=e.fragmentShader,this.vertexShader=e.vertexShader,this.uniforms=yr(e.uniforms),this.uniformsGroups=Pg(e.uniformsGroups),this.defines=Object.assign({},e.defines),this.wireframe=e.wireframe,this.wireframeLinewidth=e.wireframeLinewidth,this.fog=e.fog,this.lights=e.lights,this.clipping=e.clipping,this.extensions=Object.assign({},e.extensions),this.glslVersion=e.glslVersion,this}toJSON(e){const t=super.toJSON(e);t.glslVersion=this.glslVersion,t.uniforms={};for(const s in this.uniforms){const a=this.uniforms[s].value;a&&a.isTexture?t.uniforms[s]={type:"t",value:a.toJSON(e).uuid}:a&&a.isColor?t.uniforms[s]={type:"c",value:a.getHex()}:a&&a.isVector2?t.uniforms[s]={type:"v2",value:a.toArray()}:a&&a.isVector3?t.uniforms[s]={type:"v3",value:a.toArray()}:a&&a.isVector4?t.uniforms[s]={type:"v4",value:a.toArray()}:a&&a.isMatrix3?t.uniforms[s]={type:"m3",value:a.toArray()}:a&&a.isMatrix4?t.uniforms[s]={type:"m4",value:a.toArray()}:t.uniforms[s]={value:a}}Object.keys(this.defines).length>0&&(t.defines=this.defines),t.vertexShader=this.vertexShader,t.fragmentShader=this.fragmentShader,t.lights=this.lights,t.clipping=this.clipping;const n={};for(const s in this.extensions)this.extensions[s]===!0&&(n[s]=!0);return Object.keys(n).length>0&&(t.extensions=n),t}}class Md extends Hn{constructor(){super(),this.isCamera=!0,this.type="Camera",this.matrixWorldInverse=new zt,this.projectionMatrix=new zt,this.projectionMatrixInverse=new zt,this.coordinateSystem=Ii}copy(e,t){return super.copy(e,t),this.matrixWorldInverse.copy(e.matrixWorldInverse),this.projectionMatrix.copy(e.projectionMatrix),this.projectionMatrixInverse.copy(e.projectionMatrixInverse),this.coordinateSystem=e.coordinateSystem,this}getWorldDirection(e){return super.getWorldDirection(e).negate()}updateMatrixWorld(e){super.updateMatrixWorld(e),this.matrixWorldInverse.copy(this.matrixWorld).invert()}updateWorldMatrix(e,t){super.updateWorldMatrix(e,t),this.matrixWorldInverse.copy(this.matrixWorld).invert()}clone(){return new this.constructor().copy(this)}}const ji=new Y,oh=new ze,lh=new ze;class Zn extends Md{constructor(e=50,t=1,n=.1,s=2e3){super(),this.isPerspectiveCamera=!0,this.type="PerspectiveCamera",this.fov=e,this.zoom=1,this.near=n,this.far=s,this.focus=10,this.aspect=t,this.view=null,this.filmGauge=35,this.filmOffset=0,this.updateProjectionMatrix()}copy(e,t){return super.copy(e,t),this.fov=e.fov,this.zoom=e.zoom,this.near=e.near,this.far=e.far,this.focus=e.focus,this.aspect=e.aspect,this.view=e.view===null?null:Object.assign({},e.view),this.filmGauge=e.filmGauge,this.filmOffset=e.filmOffset,this}setFocalLength(e){const t=.5*this.getFilmHeight()/e;this.fov=jl*2*Math.atan(t),this.updateProjectionMatrix()}getFocalLength(){const e=Math.tan(Ya*.5*this.fov);return .5*this.getFilmHeight()/e}getEffectiveFOV(){return jl*2*Math.atan(Math.tan(Ya*.5*this.fov)/this.zoom)}getFilmWidth(){return this.filmGauge*Math.min(this.aspect,1)}getFilmHeight(){return this.filmGauge/Math.max(this.aspect,1)}getViewBounds(e,t,n){ji.set(-1,-1,.5).applyMatrix4(this.projectionMatrixInverse),t.set(ji.x,ji.y).multiplyScalar(-e/ji.z),ji.set(1,1,.5).applyMatrix4(this.projectionMatrixInverse),n.set(ji.x,ji.y).multiplyScalar(-e/ji.z)}getViewSize(e,t){return this.getViewBounds(e,oh,lh),t.subVectors(lh,oh)}setViewOffset(e,t,n,s,r,a){this.aspect=e/t,this.view===null&&(this.view={enabled:!0,fullWidth:1,fullHeight:1,offsetX:0,offsetY:0,width:1,height:1}),this.view.enabled=!0,this.view.fullWidth=e,this.view.fullHeight=t,this.view.offsetX=n,this.view.offsetY=s,this.view.width=r,this.view.height=a,this.updateProjectionMatrix()}clearViewOffset(){this.view!==null&&(this.view.enabled=!1),this.updateProjectionMatrix()}updateProjectionMatrix(){const e=this.near;let t=e*Math.tan(Ya*.5*this.fov)/this.zoom,n=2*t,s=this.aspect*n,r=-.5*s;const a=this.view;if(this.view!==null&&this.view.enabled){const l=a.fullWidth,c=a.fullHeight;r+=a.offsetX*s/l,t-=a.offsetY*n/c,s*=a.width/l,n*=a.height/c}const o=this.filmOffset;o!==0&&(r+=e*o/this.getFilmWidth()),this.projectionMatrix.makePerspective(r,r+s,t,t-n,e,this.far,this.coordinateSystem),this.projectionMatrixInverse.copy(this.projectionMatrix).invert()}toJSON(e){const t=super.toJSON(e);return t.object.fov=this.fov,t.object.zoom=this.zoom,t.object.near=this.near,t.object.far=this.far,t.object.focus=this.focus,t.object.aspect=this.aspect,this.view!==null&&(t.object.view=Object.assign({},this.view)),t.object.filmGauge=this.filmGauge,t.object.filmOffset=this.filmOffset,t}}const ar=-90,or=1;class Ig extends Hn{constructor(e,t,n){super(),this.type="CubeCamera",this.renderTarget=n,this.coordinateSystem=null,this.activeMipmapLevel=0;const s=new Zn(ar,or,e,t);s.layers=this.layers,this.add(s);const r=new Zn(ar,or,e,t);r.layers=this.layers,this.add(r);const a=new Zn(ar,or,e,t);a.layers=this.layers,this.add(a);const o=new Zn(ar,or,e,t);o.layers=this.layers,this.add(o);const l=new Zn(ar,or,e,t);l.layers=this.layers,this.add(l);const c=new Zn(ar,or,e,t);c.layers=this.layers,this.add(c)}updateCoordinateSystem(){const e=this.coordinateSystem,t=this.children.concat(),[n,s,r,a,o,l]=t;for(const c of t)this.remove(c);if(e===Ii)n.up.set(0,1,0),n.lookAt(1,0,0),s.up.set(0,1,0),s.lookAt(-1,0,0),r.up.set(0,0,-1),r.lookAt(0,1,0),a.up.set(0,0,1),a.lookAt(0,-1,0),o.up.set(0,1,0),o.lookAt(0,0,1),l.up.set(0,1,0),l.lookAt(0,0,-1);else if(e===io)n.up.set(0,-1,0),n.lookAt(-1,0,0),s.up.set(0,-1,0),s.lookAt(1,0,0),r.up.set(0,0,1),r.lookAt(0,1,0),a.up.set(0,0,-1),a.lookAt(0,-1,0),o.up.set(0,-1,0),o.lookAt(0,0,1),l.up.set(0,-1,0),l.lookAt(0,0,-1);else throw new Error("THREE.CubeCamera.updateCoordinateSystem(): Invalid coordinate system: "+e);for(const c of t)this.add(c),c.updateMatrixWorld()}update(e,t){this.parent===null&&this.updateMatrixWorld();const{renderTarget:n,activeMipmapLevel:s}=this;this.coordinateSystem!==e.coordinateSystem&&(this.coordinateSystem=e.coordinateSystem,this.updateCoordinateSystem());const[r,a,o,l,c,u]=this.children,h=e.getRenderTarget(),f=e.getActiveCubeFace(),p=e.getActiveMipmapLevel(),_=e.xr.enabled;e.xr.enabled=!1;const x=n.texture.generateMipmaps;n.texture.generateMipmaps=!1,e.setRenderTarget(n,0,s),e.render(t,r),e.setRenderTarget(n,1,s),e.render(t,a),e.setRenderTarget(n,2,s),e.render(t,o),e.setRenderTarget(n,3,s),e.render(t,l),e.setRenderTarget(n,4,s),e.render(t,c),n.texture.generateMipmaps=x,e.setRenderTarget(n,5,s),e.render(t,u),e.setRenderTarget(h,f,p),e.xr.enabled=_,n.texture.needsPMREMUpdate=!0}}class Sd extends Tn{constructor(e,t,n,s,r,a,o,l,c,u){e=e!==void 0?e:[],t=t!==void 0?t:xr,super(e,t,n,s,r,a,o,l,c,u),this.isCubeTexture=!0,this.flipY=!1}get images(){return this.image}set images(e){this.image=e}}class Ng extends As{constructor(e=1,t={}){super(e,e,t),this.isWebGLCubeRenderTarget=!0;const n={width:e,height:e,depth:1},s=[n,n,n,n,n,n];this.texture=new Sd(s,t.mapping,t.wrapS,t.wrapT,t.magFilter,t.minFilter,t.format,t.type,t.anisotropy,t.colorSpace),this.texture.isRenderTargetTexture=!0,this.texture.generateMipmaps=t.generateMipmaps!==void 0?t.generateMipmaps:!1,this.texture.minFilter=t.minFilter!==void 0?t.minFilter:hi}fromEquirectangularTexture(e,t){this.texture.type=t.type,this.texture.colorSpace=t.colorSpace,this.texture.generateMipmaps=t.generateMipmaps,this.texture.minFilter=t.minFilter,this.texture.magFilter=t.magFilter;const n={uniforms:{tEquirect:{value:null}},vertexShader:`

				varying vec3 vWorldDirection;

				vec3 transformDirection( in vec3 dir, in mat4 matrix ) {

					return normalize( ( matrix * vec4( dir, 0.0 ) ).xyz );

				}

				void main() {

					vWorldDirection = transformDirection( position, modelMatrix );

					#include <begin_vertex>
					#include <project_vertex>

				}
			`,fragmentShader:`

				uniform sampler2D tEquirect;

				varying vec3 vWorldDirection;

				#include <common>

				void main() {

					vec3 direction = normalize( vWorldDirection );

					vec2 sampleUV = equirectUv( direction );

					gl_FragColor = texture2D( tEquirect, sampleUV );

				}
			`},s=new ua(5,5,5),r=new Ei({name:"CubemapFromEquirect",uniforms:yr(n.uniforms),vertexShader:n.vertexShader,fragmentShader:n.fragmentShader,side:Un,blending:ts});r.uniforms.tEquirect.value=t;const a=new Dn(s,r),o=t.minFilter;return t.minFilter===bs&&(t.minFilter=hi),new Ig(1,10,this).update(e,a),t.minFilter=o,a.geometry.dispose(),a.material.dispose(),this}clear(e,t,n,s){const r=e.getRenderTarget();for(let a=0;a<6;a++)e.setRenderTarget(this,a),e.clear(t,n,s);e.setRenderTarget(r)}}const pl=new Y,Og=new Y,Fg=new rt;class Zi{constructor(e=new Y(1,0,0),t=0){this.isPlane=!0,this.normal=e,this.constant=t}set(e,t){return this.normal.copy(e),this.constant=t,this}setComponents(e,t,n,s){return this.normal.set(e,t,n),this.constant=s,this}setFromNormalAndCoplanarPoint(e,t){return this.normal.copy(e),this.constant=-t.dot(this.normal),this}setFromCoplanarPoints(e,t,n){const s=pl.subVectors(n,t).cross(Og.subVectors(e,t)).normalize();return this.setFromNormalAndCoplanarPoint(s,e),this}copy(e){return this.normal.copy(e.normal),this.constant=e.constant,this}normalize(){const e=1/this.normal.length();return this.normal.multiplyScalar(e),this.constant*=e,this}negate(){return this.constant*=-1,this.normal.negate(),this}distanceToPoint(e){return this.normal.dot(e)+this.constant}distanceToSphere(e){return this.distanceToPoint(e.center)-e.radius}projectPoint(e,t){return t.copy(e).addScaledVector(this.normal,-this.distanceToPoint(e))}intersectLine(e,t){const n=e.delta(pl),s=this.normal.dot(n);if(s===0)return this.distanceToPoint(e.start)===0?t.copy(e.start):null;const r=-(e.start.dot(this.normal)+this.constant)/s;return r<0||r>1?null:t.copy(e.start).addScaledVector(n,r)}intersectsLine(e){const t=this.distanceToPoint(e.start),n=this.distanceToPoint(e.end);return t<0&&n>0||n<0&&t>0}intersectsBox(e){return e.intersectsPlane(this)}intersectsSphere(e){return e.intersectsPlane(this)}coplanarPoint(e){return e.copy(this.normal).multiplyScalar(-this.constant)}applyMatrix4(e,t){const n=t||Fg.getNormalMatrix(e),s=this.coplanarPoint(pl).applyMatrix4(e),r=this.normal.applyMatrix3(n).normalize();return this.constant=-s.dot(r),this}translate(e){return this.constant-=e.dot(this.normal),this}equals(e){return e.normal.equals(this.normal)&&e.constant===this.constant}clone(){return new this.constructor().copy(this)}}const fs=new mc,Fa=new Y;class yd{constructor(e=new Zi,t=new Zi,n=new Zi,s=new Zi,r=new Zi,a=new Zi){this.planes=[e,t,n,s,r,a]}set(e,t,n,s,r,a){const o=this.planes;return o[0].copy(e),o[1].copy(t),o[2].copy(n),o[3].copy(s),o[4].copy(r),o[5].copy(a),this}copy(e){const t=this.planes;for(let n=0;n<6;n++)t[n].copy(e.planes[n]);return this}setFromProjectionMatrix(e,t=Ii){const n=this.planes,s=e.elements,r=s[0],a=s[1],o=s[2],l=s[3],c=s[4],u=s[5],h=s[6],f=s[7],p=s[8],_=s[9],x=s[10],m=s[11],d=s[12],y=s[13],M=s[14],w=s[15];if(n[0].setComponents(l-r,f-c,m-p,w-d).normalize(),n[1].setComponents(l+r,f+c,m+p,w+d).normalize(),n[2].setComponents(l+a,f+u,m+_,w+y).normalize(),n[3].setComponents(l-a,f-u,m-_,w-y).normalize(),n[4].setComponents(l-o,f-h,m-x,w-M).normalize(),t===Ii)n[5].setComponents(l+o,f+h,m+x,w+M).normalize();else if(t===io)n[5].setComponents(o,h,x,M).normalize();else throw new Error("THREE.Frustum.setFromProjectionMatrix(): Invalid coordinate system: "+t);return this}intersectsObject(e){if(e.boundingSphere!==void 0)e.boundingSphere===null&&e.computeBoundingSphere(),fs.copy(e.boundingSphere).applyMatrix4(e.matrixWorld);else{const t=e.geometry;t.boundingSphere===null&&t.computeBoundingSphere(),fs.copy(t.boundingSphere).applyMatrix4(e.matrixWorld)}return this.intersectsSphere(fs)}intersectsSprite(e){return fs.center.set(0,0,0),fs.radius=.7071067811865476,fs.applyMatrix4(e.matrixWorld),this.intersectsSphere(fs)}intersectsSphere(e){const t=this.planes,n=e.center,s=-e.radius;for(let r=0;r<6;r++)if(t[r].distanceToPoint(n)<s)return!1;return!0}intersectsBox(e){const t=this.planes;for(let n=0;n<6;n++){const s=t[n];if(Fa.x=s.normal.x>0?e.max.x:e.min.x,Fa.y=s.normal.y>0?e.max.y:e.min.y,Fa.z=s.normal.z>0?e.max.z:e.min.z,s.distanceToPoint(Fa)<0)return!1}return!0}containsPoint(e){const t=this.planes;for(let n=0;n<6;n++)if(t[n].distanceToPoint(e)<0)return!1;return!0}clone(){return new this.constructor().copy(this)}}function Ed(){let i=null,e=!1,t=null,n=null;function s(r,a){t(r,a),n=i.requestAnimationFrame(s)}return{start:function(){e!==!0&&t!==null&&(n=i.requestAnimationFrame(s),e=!0)},stop:function(){i.cancelAnimationFrame(n),e=!1},setAnimationLoop:function(r){t=r},setContext:function(r){i=r}}}function kg(i){const e=new WeakMap;function t(o,l){const c=o.array,u=o.usage,h=c.byteLength,f=i.createBuffer();i.bindBuffer(l,f),i.bufferData(l,c,u),o.onUploadCallback();let p;if(c instanceof Float32Array)p=i.FLOAT;else if(c instanceof Uint16Array)o.isFloat16BufferAttribute?p=i.HALF_FLOAT:p=i.UNSIGNED_SHORT;else if(c instanceof Int16Array)p=i.SHORT;else if(c instanceof Uint32Array)p=i.UNSIGNED_INT;else if(c instanceof Int32Array)p=i.INT;else if(c instanceof Int8Array)p=i.BYTE;else if(c instanceof Uint8Array)p=i.UNSIGNED_BYTE;else if(c instanceof Uint8ClampedArray)p=i.UNSIGNED_BYTE;else throw new Error("THREE.WebGLAttributes: Unsupported buffer data format: "+c);return{buffer:f,type:p,bytesPerElement:c.BYTES_PER_ELEMENT,version:o.version,size:h}}function n(o,l,c){const u=l.array,h=l._updateRange,f=l.updateRanges;if(i.bindBuffer(c,o),h.count===-1&&f.length===0&&i.bufferSubData(c,0,u),f.length!==0){for(let p=0,_=f.length;p<_;p++){const x=f[p];i.bufferSubData(c,x.start*u.BYTES_PER_ELEMENT,u,x.start,x.count)}l.clearUpdateRanges()}h.count!==-1&&(i.bufferSubData(c,h.offset*u.BYTES_PER_ELEMENT,u,h.offset,h.count),h.count=-1),l.onUploadCallback()}function s(o){return o.isInterleavedBufferAttribute&&(o=o.data),e.get(o)}function r(o){o.isInterleavedBufferAttribute&&(o=o.data);const l=e.get(o);l&&(i.deleteBuffer(l.buffer),e.delete(o))}function a(o,l){if(o.isGLBufferAttribute){const u=e.get(o);(!u||u.version<o.version)&&e.set(o,{buffer:o.buffer,type:o.type,bytesPerElement:o.elementSize,version:o.version});return}o.isInterleavedBufferAttribute&&(o=o.data);const c=e.get(o);if(c===void 0)e.set(o,t(o,l));else if(c.version<o.version){if(c.size!==o.array.byteLength)throw new Error("THREE.WebGLAttributes: The size of the buffer attribute's array buffer does not match the original size. Resizing buffer attributes is not supported.");n(c.buffer,o,l),c.version=o.version}}return{get:s,remove:r,update:a}}class go extends di{constructor(e=1,t=1,n=1,s=1){super(),this.type="PlaneGeometry",this.parameters={width:e,height:t,widthSegments:n,heightSegments:s};const r=e/2,a=t/2,o=Math.floor(n),l=Math.floor(s),c=o+1,u=l+1,h=e/o,f=t/l,p=[],_=[],x=[],m=[];for(let d=0;d<u;d++){const y=d*f-a;for(let M=0;M<c;M++){const w=M*h-r;_.push(w,-y,0),x.push(0,0,1),m.push(M/o),m.push(1-d/l)}}for(let d=0;d<l;d++)for(let y=0;y<o;y++){const M=y+c*d,w=y+c*(d+1),V=y+1+c*(d+1),T=y+1+c*d;p.push(M,w,T),p.push(w,V,T)}this.setIndex(p),this.setAttribute("position",new Vn(_,3)),this.setAttribute("normal",new Vn(x,3)),this.setAttribute("uv",new Vn(m,2))}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}static fromJSON(e){return new go(e.width,e.height,e.widthSegments,e.heightSegments)}}var Bg=`#ifdef USE_ALPHAHASH
	if ( diffuseColor.a < getAlphaHashThreshold( vPosition ) ) discard;
#endif`,zg=`#ifdef USE_ALPHAHASH
	const float ALPHA_HASH_SCALE = 0.05;
	float hash2D( vec2 value ) {
		return fract( 1.0e4 * sin( 17.0 * value.x + 0.1 * value.y ) * ( 0.1 + abs( sin( 13.0 * value.y + value.x ) ) ) );
	}
	float hash3D( vec3 value ) {
		return hash2D( vec2( hash2D( value.xy ), value.z ) );
	}
	float getAlphaHashThreshold( vec3 position ) {
		float maxDeriv = max(
			length( dFdx( position.xyz ) ),
			length( dFdy( position.xyz ) )
		);
		float pixScale = 1.0 / ( ALPHA_HASH_SCALE * maxDeriv );
		vec2 pixScales = vec2(
			exp2( floor( log2( pixScale ) ) ),
			exp2( ceil( log2( pixScale ) ) )
		);
		vec2 alpha = vec2(
			hash3D( floor( pixScales.x * position.xyz ) ),
			hash3D( floor( pixScales.y * position.xyz ) )
		);
		float lerpFactor = fract( log2( pixScale ) );
		float x = ( 1.0 - lerpFactor ) * alpha.x + lerpFactor * alpha.y;
		float a = min( lerpFactor, 1.0 - lerpFactor );
		vec3 cases = vec3(
			x * x / ( 2.0 * a * ( 1.0 - a ) ),
			( x - 0.5 * a ) / ( 1.0 - a ),
			1.0 - ( ( 1.0 - x ) * ( 1.0 - x ) / ( 2.0 * a * ( 1.0 - a ) ) )
		);
		float threshold = ( x < ( 1.0 - a ) )
			? ( ( x < a ) ? cases.x : cases.y )
			: cases.z;
		return clamp( threshold , 1.0e-6, 1.0 );
	}
#endif`,Hg=`#ifdef USE_ALPHAMAP
	diffuseColor.a *= texture2D( alphaMap, vAlphaMapUv ).g;
#endif`,Vg=`#ifdef USE_ALPHAMAP
	uniform sampler2D alphaMap;
#endif`,Gg=`#ifdef USE_ALPHATEST
	#ifdef ALPHA_TO_COVERAGE
	diffuseColor.a = smoothstep( alphaTest, alphaTest + fwidth( diffuseColor.a ), diffuseColor.a );
	if ( diffuseColor.a == 0.0 ) discard;
	#else
	if ( diffuseColor.a < alphaTest ) discard;
	#endif
#endif`,Wg=`#ifdef USE_ALPHATEST
	uniform float alphaTest;
#endif`,$g=`#ifdef USE_AOMAP
	float ambientOcclusion = ( texture2D( aoMap, vAoMapUv ).r - 1.0 ) * aoMapIntensity + 1.0;
	reflectedLight.indirectDiffuse *= ambientOcclusion;
	#if defined( USE_CLEARCOAT ) 
		clearcoatSpecularIndirect *= ambientOcclusion;
	#endif
	#if defined( USE_SHEEN ) 
		sheenSpecularIndirect *= ambientOcclusion;
	#endif
	#if defined( USE_ENVMAP ) && defined( STANDARD )
		float dotNV = saturate( dot( geometryNormal, geometryViewDir ) );
		reflectedLight.indirectSpecular *= computeSpecularOcclusion( dotNV, ambientOcclusion, material.roughness );
	#endif
#endif`,Xg=`#ifdef USE_AOMAP
	uniform sampler2D aoMap;
	uniform float aoMapIntensity;
#endif`,Yg=`#ifdef USE_BATCHING
	attribute float batchId;
	uniform highp sampler2D batchingTexture;
	mat4 getBatchingMatrix( const in float i ) {
		int size = textureSize( batchingTexture, 0 ).x;
		int j = int( i ) * 4;
		int x = j % size;
		int y = j / size;
		vec4 v1 = texelFetch( batchingTexture, ivec2( x, y ), 0 );
		vec4 v2 = texelFetch( batchingTexture, ivec2( x + 1, y ), 0 );
		vec4 v3 = texelFetch( batchingTexture, ivec2( x + 2, y ), 0 );
		vec4 v4 = texelFetch( batchingTexture, ivec2( x + 3, y ), 0 );
		return mat4( v1, v2, v3, v4 );
	}
#endif`,qg=`#ifdef USE_BATCHING
	mat4 batchingMatrix = getBatchingMatrix( batchId );
#endif`,jg=`vec3 transformed = vec3( position );
#ifdef USE_ALPHAHASH
	vPosition = vec3( position );
#endif`,Kg=`vec3 objectNormal = vec3( normal );
#ifdef USE_TANGENT
	vec3 objectTangent = vec3( tangent.xyz );
#endif`,Zg=`float G_BlinnPhong_Implicit( ) {
	return 0.25;
}
float D_BlinnPhong( const in float shininess, const in float dotNH ) {
	return RECIPROCAL_PI * ( shininess * 0.5 + 1.0 ) * pow( dotNH, shininess );
}
vec3 BRDF_BlinnPhong( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in vec3 specularColor, const in float shininess ) {
	vec3 halfDir = normalize( lightDir + viewDir );
	float dotNH = saturate( dot( normal, halfDir ) );
	float dotVH = saturate( dot( viewDir, halfDir ) );
	vec3 F = F_Schlick( specularColor, 1.0, dotVH );
	float G = G_BlinnPhong_Implicit( );
	float D = D_BlinnPhong( shininess, dotNH );
	return F * ( G * D );
} // validated`,Jg=`#ifdef USE_IRIDESCENCE
	const mat3 XYZ_TO_REC709 = mat3(
		 3.2404542, -0.9692660,  0.0556434,
		-1.5371385,  1.8760108, -0.2040259,
		-0.4985314,  0.0415560,  1.0572252
	);
	vec3 Fresnel0ToIor( vec3 fresnel0 ) {
		vec3 sqrtF0 = sqrt( fresnel0 );
		return ( vec3( 1.0 ) + sqrtF0 ) / ( vec3( 1.0 ) - sqrtF0 );
	}
	vec3 IorToFresnel0( vec3 transmittedIor, float incidentIor ) {
		return pow2( ( transmittedIor - vec3( incidentIor ) ) / ( transmittedIor + vec3( incidentIor ) ) );
	}
	float IorToFresnel0( float transmittedIor, float incidentIor ) {
		return pow2( ( transmittedIor - incidentIor ) / ( transmittedIor + incidentIor ));
	}
	vec3 evalSensitivity( float OPD, vec3 shift ) {
		float phase = 2.0 * PI * OPD * 1.0e-9;
		vec3 val = vec3( 5.4856e-13, 4.4201e-13, 5.2481e-13 );
		vec3 pos = vec3( 1.6810e+06, 1.7953e+06, 2.2084e+06 );
		vec3 var = vec3( 4.3278e+09, 9.3046e+09, 6.6121e+09 );
		vec3 xyz = val * sqrt( 2.0 * PI * var ) * cos( pos * phase + shift ) * exp( - pow2( phase ) * var );
		xyz.x += 9.7470e-14 * sqrt( 2.0 * PI * 4.5282e+09 ) * cos( 2.2399e+06 * phase + shift[ 0 ] ) * exp( - 4.5282e+09 * pow2( phase ) );
		xyz /= 1.0685e-7;
		vec3 rgb = XYZ_TO_REC709 * xyz;
		return rgb;
	}
	vec3 evalIridescence( float outsideIOR, float eta2, float cosTheta1, float thinFilmThickness, vec3 baseF0 ) {
		vec3 I;
		float iridescenceIOR = mix( outsideIOR, eta2, smoothstep( 0.0, 0.03, thinFilmThickness ) );
		float sinTheta2Sq = pow2( outsideIOR / iridescenceIOR ) * ( 1.0 - pow2( cosTheta1 ) );
		float cosTheta2Sq = 1.0 - sinTheta2Sq;
		if ( cosTheta2Sq < 0.0 ) {
			return vec3( 1.0 );
		}
		float cosTheta2 = sqrt( cosTheta2Sq );
		float R0 = IorToFresnel0( iridescenceIOR, outsideIOR );
		float R12 = F_Schlick( R0, 1.0, cosTheta1 );
		float T121 = 1.0 - R12;
		float phi12 = 0.0;
		if ( iridescenceIOR < outsideIOR ) phi12 = PI;
		float phi21 = PI - phi12;
		vec3 baseIOR = Fresnel0ToIor( clamp( baseF0, 0.0, 0.9999 ) );		vec3 R1 = IorToFresnel0( baseIOR, iridescenceIOR );
		vec3 R23 = F_Schlick( R1, 1.0, cosTheta2 );
		vec3 phi23 = vec3( 0.0 );
		if ( baseIOR[ 0 ] < iridescenceIOR ) phi23[ 0 ] = PI;
		if ( baseIOR[ 1 ] < iridescenceIOR ) phi23[ 1 ] = PI;
		if ( baseIOR[ 2 ] < iridescenceIOR ) phi23[ 2 ] = PI;
		float OPD = 2.0 * iridescenceIOR * thinFilmThickness * cosTheta2;
		vec3 phi = vec3( phi21 ) + phi23;
		vec3 R123 = clamp( R12 * R23, 1e-5, 0.9999 );
		vec3 r123 = sqrt( R123 );
		vec3 Rs = pow2( T121 ) * R23 / ( vec3( 1.0 ) - R123 );
		vec3 C0 = R12 + Rs;
		I = C0;
		vec3 Cm = Rs - T121;
		for ( int m = 1; m <= 2; ++ m ) {
			Cm *= r123;
			vec3 Sm = 2.0 * evalSensitivity( float( m ) * OPD, float( m ) * phi );
			I += Cm * Sm;
		}
		return max( I, vec3( 0.0 ) );
	}
#endif`,Qg=`#ifdef USE_BUMPMAP
	uniform sampler2D bumpMap;
	uniform float bumpScale;
	vec2 dHdxy_fwd() {
		vec2 dSTdx = dFdx( vBumpMapUv );
		vec2 dSTdy = dFdy( vBumpMapUv );
		float Hll = bumpScale * texture2D( bumpMap, vBumpMapUv ).x;
		float dBx = bumpScale * texture2D( bumpMap, vBumpMapUv + dSTdx ).x - Hll;
		float dBy = bumpScale * texture2D( bumpMap, vBumpMapUv + dSTdy ).x - Hll;
		return vec2( dBx, dBy );
	}
	vec3 perturbNormalArb( vec3 surf_pos, vec3 surf_norm, vec2 dHdxy, float faceDirection ) {
		vec3 vSigmaX = normalize( dFdx( surf_pos.xyz ) );
		vec3 vSigmaY = normalize( dFdy( surf_pos.xyz ) );
		vec3 vN = surf_norm;
		vec3 R1 = cross( vSigmaY, vN );
		vec3 R2 = cross( vN, vSigmaX );
		float fDet = dot( vSigmaX, R1 ) * faceDirection;
		vec3 vGrad = sign( fDet ) * ( dHdxy.x * R1 + dHdxy.y * R2 );
		return normalize( abs( fDet ) * surf_norm - vGrad );
	}
#endif`,e_=`#if NUM_CLIPPING_PLANES > 0
	vec4 plane;
	#ifdef ALPHA_TO_COVERAGE
		float distanceToPlane, distanceGradient;
		float clipOpacity = 1.0;
		#pragma unroll_loop_start
		for ( int i = 0; i < UNION_CLIPPING_PLANES; i ++ ) {
			plane = clippingPlanes[ i ];
			distanceToPlane = - dot( vClipPosition, plane.xyz ) + plane.w;
			distanceGradient = fwidth( distanceToPlane ) / 2.0;
			clipOpacity *= smoothstep( - distanceGradient, distanceGradient, distanceToPlane );
			if ( clipOpacity == 0.0 ) discard;
		}
		#pragma unroll_loop_end
		#if UNION_CLIPPING_PLANES < NUM_CLIPPING_PLANES
			float unionClipOpacity = 1.0;
			#pragma unroll_loop_start
			for ( int i = UNION_CLIPPING_PLANES; i < NUM_CLIPPING_PLANES; i ++ ) {
				plane = clippingPlanes[ i ];
				distanceToPlane = - dot( vClipPosition, plane.xyz ) + plane.w;
				distanceGradient = fwidth( distanceToPlane ) / 2.0;
				unionClipOpacity *= 1.0 - smoothstep( - distanceGradient, distanceGradient, distanceToPlane );
			}
			#pragma unroll_loop_end
			clipOpacity *= 1.0 - unionClipOpacity;
		#endif
		diffuseColor.a *= clipOpacity;
		if ( diffuseColor.a == 0.0 ) discard;
	#else
		#pragma unroll_loop_start
		for ( int i = 0; i < UNION_CLIPPING_PLANES; i ++ ) {
			plane = clippingPlanes[ i ];
			if ( dot( vClipPosition, plane.xyz ) > plane.w ) discard;
		}
		#pragma unroll_loop_end
		#if UNION_CLIPPING_PLANES < NUM_CLIPPING_PLANES
			bool clipped = true;
			#pragma unroll_loop_start
			for ( int i = UNION_CLIPPING_PLANES; i < NUM_CLIPPING_PLANES; i ++ ) {
				plane = clippingPlanes[ i ];
				clipped = ( dot( vClipPosition, plane.xyz ) > plane.w ) && clipped;
			}
			#pragma unroll_loop_end
			if ( clipped ) discard;
		#endif
	#endif
#endif`,t_=`#if NUM_CLIPPING_PLANES > 0
	varying vec3 vClipPosition;
	uniform vec4 clippingPlanes[ NUM_CLIPPING_PLANES ];
#endif`,n_=`#if NUM_CLIPPING_PLANES > 0
	varying vec3 vClipPosition;
#endif`,i_=`#if NUM_CLIPPING_PLANES > 0
	vClipPosition = - mvPosition.xyz;
#endif`,s_=`#if defined( USE_COLOR_ALPHA )
	diffuseColor *= vColor;
#elif defined( USE_COLOR )
	diffuseColor.rgb *= vColor;
#endif`,r_=`#if defined( USE_COLOR_ALPHA )
	varying vec4 vColor;
#elif defined( USE_COLOR )
	varying vec3 vColor;
#endif`,a_=`#if defined( USE_COLOR_ALPHA )
	varying vec4 vColor;
#elif defined( USE_COLOR ) || defined( USE_INSTANCING_COLOR )
	varying vec3 vColor;
#endif`,o_=`#if defined( USE_COLOR_ALPHA )
	vColor = vec4( 1.0 );
#elif defined( USE_COLOR ) || defined( USE_INSTANCING_COLOR )
	vColor = vec3( 1.0 );
#endif
#ifdef USE_COLOR
	vColor *= color;
#endif
#ifdef USE_INSTANCING_COLOR
	vColor.xyz *= instanceColor.xyz;
#endif`,l_=`#define PI 3.141592653589793
#define PI2 6.283185307179586
#define PI_HALF 1.5707963267948966
#define RECIPROCAL_PI 0.3183098861837907
#define RECIPROCAL_PI2 0.15915494309189535
#define EPSILON 1e-6
#ifndef saturate
#define saturate( a ) clamp( a, 0.0, 1.0 )
#endif
#define whiteComplement( a ) ( 1.0 - saturate( a ) )
float pow2( const in float x ) { return x*x; }
vec3 pow2( const in vec3 x ) { return x*x; }
float pow3( const in float x ) { return x*x*x; }
float pow4( const in float x ) { float x2 = x*x; return x2*x2; }
float max3( const in vec3 v ) { return max( max( v.x, v.y ), v.z ); }
float average( const in vec3 v ) { return dot( v, vec3( 0.3333333 ) ); }
highp float rand( const in vec2 uv ) {
	const highp float a = 12.9898, b = 78.233, c = 43758.5453;
	highp float dt = dot( uv.xy, vec2( a,b ) ), sn = mod( dt, PI );
	return fract( sin( sn ) * c );
}
#ifdef HIGH_PRECISION
	float precisionSafeLength( vec3 v ) { return length( v ); }
#else
	float precisionSafeLength( vec3 v ) {
		float maxComponent = max3( abs( v ) );
		return length( v / maxComponent ) * maxComponent;
	}
#endif
struct IncidentLight {
	vec3 color;
	vec3 direction;
	bool visible;
};
struct ReflectedLight {
	vec3 directDiffuse;
	vec3 directSpecular;
	vec3 indirectDiffuse;
	vec3 indirectSpecular;
};
#ifdef USE_ALPHAHASH
	varying vec3 vPosition;
#endif
vec3 transformDirection( in vec3 dir, in mat4 matrix ) {
	return normalize( ( matrix * vec4( dir, 0.0 ) ).xyz );
}
vec3 inverseTransformDirection( in vec3 dir, in mat4 matrix ) {
	return normalize( ( vec4( dir, 0.0 ) * matrix ).xyz );
}
mat3 transposeMat3( const in mat3 m ) {
	mat3 tmp;
	tmp[ 0 ] = vec3( m[ 0 ].x, m[ 1 ].x, m[ 2 ].x );
	tmp[ 1 ] = vec3( m[ 0 ].y, m[ 1 ].y, m[ 2 ].y );
	tmp[ 2 ] = vec3( m[ 0 ].z, m[ 1 ].z, m[ 2 ].z );
	return tmp;
}
float luminance( const in vec3 rgb ) {
	const vec3 weights = vec3( 0.2126729, 0.7151522, 0.0721750 );
	return dot( weights, rgb );
}
bool isPerspectiveMatrix( mat4 m ) {
	return m[ 2 ][ 3 ] == - 1.0;
}
vec2 equirectUv( in vec3 dir ) {
	float u = atan( dir.z, dir.x ) * RECIPROCAL_PI2 + 0.5;
	float v = asin( clamp( dir.y, - 1.0, 1.0 ) ) * RECIPROCAL_PI + 0.5;
	return vec2( u, v );
}
vec3 BRDF_Lambert( const in vec3 diffuseColor ) {
	return RECIPROCAL_PI * diffuseColor;
}
vec3 F_Schlick( const in vec3 f0, const in float f90, const in float dotVH ) {
	float fresnel = exp2( ( - 5.55473 * dotVH - 6.98316 ) * dotVH );
	return f0 * ( 1.0 - fresnel ) + ( f90 * fresnel );
}
float F_Schlick( const in float f0, const in float f90, const in float dotVH ) {
	float fresnel = exp2( ( - 5.55473 * dotVH - 6.98316 ) * dotVH );
	return f0 * ( 1.0 - fresnel ) + ( f90 * fresnel );
} // validated`,c_=`#ifdef ENVMAP_TYPE_CUBE_UV
	#define cubeUV_minMipLevel 4.0
	#define cubeUV_minTileSize 16.0
	float getFace( vec3 direction ) {
		vec3 absDirection = abs( direction );
		float face = - 1.0;
		if ( absDirection.x > absDirection.z ) {
			if ( absDirection.x > absDirection.y )
				face = direction.x > 0.0 ? 0.0 : 3.0;
			else
				face = direction.y > 0.0 ? 1.0 : 4.0;
		} else {
			if ( absDirection.z > absDirection.y )
				face = direction.z > 0.0 ? 2.0 : 5.0;
			else
				face = direction.y > 0.0 ? 1.0 : 4.0;
		}
		return face;
	}
	vec2 getUV( vec3 direction, float face ) {
		vec2 uv;
		if ( face == 0.0 ) {
			uv = vec2( direction.z, direction.y ) / abs( direction.x );
		} else if ( face == 1.0 ) {
			uv = vec2( - direction.x, - direction.z ) / abs( direction.y );
		} else if ( face == 2.0 ) {
			uv = vec2( - direction.x, direction.y ) / abs( direction.z );
		} else if ( face == 3.0 ) {
			uv = vec2( - direction.z, direction.y ) / abs( direction.x );
		} else if ( face == 4.0 ) {
			uv = vec2( - direction.x, direction.z ) / abs( direction.y );
		} else {
			uv = vec2( direction.x, direction.y ) / abs( direction.z );
		}
		return 0.5 * ( uv + 1.0 );
	}
	vec3 bilinearCubeUV( sampler2D envMap, vec3 direction, float mipInt ) {
		float face = getFace( direction );
		float filterInt = max( cubeUV_minMipLevel - mipInt, 0.0 );
		mipInt = max( mipInt, cubeUV_minMipLevel );
		float faceSize = exp2( mipInt );
		highp vec2 uv = getUV( direction, face ) * ( faceSize - 2.0 ) + 1.0;
		if ( face > 2.0 ) {
			uv.y += faceSize;
			face -= 3.0;
		}
		uv.x += face * faceSize;
		uv.x += filterInt * 3.0 * cubeUV_minTileSize;
		uv.y += 4.0 * ( exp2( CUBEUV_MAX_MIP ) - faceSize );
		uv.x *= CUBEUV_TEXEL_WIDTH;
		uv.y *= CUBEUV_TEXEL_HEIGHT;
		#ifdef texture2DGradEXT
			return texture2DGradEXT( envMap, uv, vec2( 0.0 ), vec2( 0.0 ) ).rgb;
		#else
			return texture2D( envMap, uv ).rgb;
		#endif
	}
	#define cubeUV_r0 1.0
	#define cubeUV_m0 - 2.0
	#define cubeUV_r1 0.8
	#define cubeUV_m1 - 1.0
	#define cubeUV_r4 0.4
	#define cubeUV_m4 2.0
	#define cubeUV_r5 0.305
	#define cubeUV_m5 3.0
	#define cubeUV_r6 0.21
	#define cubeUV_m6 4.0
	float roughnessToMip( float roughness ) {
		float mip = 0.0;
		if ( roughness >= cubeUV_r1 ) {
			mip = ( cubeUV_r0 - roughness ) * ( cubeUV_m1 - cubeUV_m0 ) / ( cubeUV_r0 - cubeUV_r1 ) + cubeUV_m0;
		} else if ( roughness >= cubeUV_r4 ) {
			mip = ( cubeUV_r1 - roughness ) * ( cubeUV_m4 - cubeUV_m1 ) / ( cubeUV_r1 - cubeUV_r4 ) + cubeUV_m1;
		} else if ( roughness >= cubeUV_r5 ) {
			mip = ( cubeUV_r4 - roughness ) * ( cubeUV_m5 - cubeUV_m4 ) / ( cubeUV_r4 - cubeUV_r5 ) + cubeUV_m4;
		} else if ( roughness >= cubeUV_r6 ) {
			mip = ( cubeUV_r5 - roughness ) * ( cubeUV_m6 - cubeUV_m5 ) / ( cubeUV_r5 - cubeUV_r6 ) + cubeUV_m5;
		} else {
			mip = - 2.0 * log2( 1.16 * roughness );		}
		return mip;
	}
	vec4 textureCubeUV( sampler2D envMap, vec3 sampleDir, float roughness ) {
		float mip = clamp( roughnessToMip( roughness ), cubeUV_m0, CUBEUV_MAX_MIP );
		float mipF = fract( mip );
		float mipInt = floor( mip );
		vec3 color0 = bilinearCubeUV( envMap, sampleDir, mipInt );
		if ( mipF == 0.0 ) {
			return vec4( color0, 1.0 );
		} else {
			vec3 color1 = bilinearCubeUV( envMap, sampleDir, mipInt + 1.0 );
			return vec4( mix( color0, color1, mipF ), 1.0 );
		}
	}
#endif`,u_=`vec3 transformedNormal = objectNormal;
#ifdef USE_TANGENT
	vec3 transformedTangent = objectTangent;
#endif
#ifdef USE_BATCHING
	mat3 bm = mat3( batchingMatrix );
	transformedNormal /= vec3( dot( bm[ 0 ], bm[ 0 ] ), dot( bm[ 1 ], bm[ 1 ] ), dot( bm[ 2 ], bm[ 2 ] ) );
	transformedNormal = bm * transformedNormal;
	#ifdef USE_TANGENT
		transformedTangent = bm * transformedTangent;
	#endif
#endif
#ifdef USE_INSTANCING
	mat3 im = mat3( instanceMatrix );
	transformedNormal /= vec3( dot( im[ 0 ], im[ 0 ] ), dot( im[ 1 ], im[ 1 ] ), dot( im[ 2 ], im[ 2 ] ) );
	transformedNormal = im * transformedNormal;
	#ifdef USE_TANGENT
		transformedTangent = im * transformedTangent;
	#endif
#endif
transformedNormal = normalMatrix * transformedNormal;
#ifdef FLIP_SIDED
	transformedNormal = - transformedNormal;
#endif
#ifdef USE_TANGENT
	transformedTangent = ( modelViewMatrix * vec4( transformedTangent, 0.0 ) ).xyz;
	#ifdef FLIP_SIDED
		transformedTangent = - transformedTangent;
	#endif
#endif`,h_=`#ifdef USE_DISPLACEMENTMAP
	uniform sampler2D displacementMap;
	uniform float displacementScale;
	uniform float displacementBias;
#endif`,f_=`#ifdef USE_DISPLACEMENTMAP
	transformed += normalize( objectNormal ) * ( texture2D( displacementMap, vDisplacementMapUv ).x * displacementScale + displacementBias );
#endif`,d_=`#ifdef USE_EMISSIVEMAP
	vec4 emissiveColor = texture2D( emissiveMap, vEmissiveMapUv );
	totalEmissiveRadiance *= emissiveColor.rgb;
#endif`,p_=`#ifdef USE_EMISSIVEMAP
	uniform sampler2D emissiveMap;
#endif`,m_="gl_FragColor = linearToOutputTexel( gl_FragColor );",g_=`
const mat3 LINEAR_SRGB_TO_LINEAR_DISPLAY_P3 = mat3(
	vec3( 0.8224621, 0.177538, 0.0 ),
	vec3( 0.0331941, 0.9668058, 0.0 ),
	vec3( 0.0170827, 0.0723974, 0.9105199 )
);
const mat3 LINEAR_DISPLAY_P3_TO_LINEAR_SRGB = mat3(
	vec3( 1.2249401, - 0.2249404, 0.0 ),
	vec3( - 0.0420569, 1.0420571, 0.0 ),
	vec3( - 0.0196376, - 0.0786361, 1.0982735 )
);
vec4 LinearSRGBToLinearDisplayP3( in vec4 value ) {
	return vec4( value.rgb * LINEAR_SRGB_TO_LINEAR_DISPLAY_P3, value.a );
}
vec4 LinearDisplayP3ToLinearSRGB( in vec4 value ) {
	return vec4( value.rgb * LINEAR_DISPLAY_P3_TO_LINEAR_SRGB, value.a );
}
vec4 LinearTransferOETF( in vec4 value ) {
	return value;
}
vec4 sRGBTransferOETF( in vec4 value ) {
	return vec4( mix( pow( value.rgb, vec3( 0.41666 ) ) * 1.055 - vec3( 0.055 ), value.rgb * 12.92, vec3( lessThanEqual( value.rgb, vec3( 0.0031308 ) ) ) ), value.a );
}
vec4 LinearToLinear( in vec4 value ) {
	return value;
}
vec4 LinearTosRGB( in vec4 value ) {
	return sRGBTransferOETF( value );
}`,__=`#ifdef USE_ENVMAP
	#ifdef ENV_WORLDPOS
		vec3 cameraToFrag;
		if ( isOrthographic ) {
			cameraToFrag = normalize( vec3( - viewMatrix[ 0 ][ 2 ], - viewMatrix[ 1 ][ 2 ], - viewMatrix[ 2 ][ 2 ] ) );
		} else {
			cameraToFrag = normalize( vWorldPosition - cameraPosition );
		}
		vec3 worldNormal = inverseTransformDirection( normal, viewMatrix );
		#ifdef ENVMAP_MODE_REFLECTION
			vec3 reflectVec = reflect( cameraToFrag, worldNormal );
		#else
			vec3 reflectVec = refract( cameraToFrag, worldNormal, refractionRatio );
		#endif
	#else
		vec3 reflectVec = vReflect;
	#endif
	#ifdef ENVMAP_TYPE_CUBE
		vec4 envColor = textureCube( envMap, envMapRotation * vec3( flipEnvMap * reflectVec.x, reflectVec.yz ) );
	#else
		vec4 envColor = vec4( 0.0 );
	#endif
	#ifdef ENVMAP_BLENDING_MULTIPLY
		outgoingLight = mix( outgoingLight, outgoingLight * envColor.xyz, specularStrength * reflectivity );
	#elif defined( ENVMAP_BLENDING_MIX )
		outgoingLight = mix( outgoingLight, envColor.xyz, specularStrength * reflectivity );
	#elif defined( ENVMAP_BLENDING_ADD )
		outgoingLight += envColor.xyz * specularStrength * reflectivity;
	#endif
#endif`,v_=`#ifdef USE_ENVMAP
	uniform float envMapIntensity;
	uniform float flipEnvMap;
	uniform mat3 envMapRotation;
	#ifdef ENVMAP_TYPE_CUBE
		uniform samplerCube envMap;
	#else
		uniform sampler2D envMap;
	#endif
	
#endif`,x_=`#ifdef USE_ENVMAP
	uniform float reflectivity;
	#if defined( USE_BUMPMAP ) || defined( USE_NORMALMAP ) || defined( PHONG ) || defined( LAMBERT )
		#define ENV_WORLDPOS
	#endif
	#ifdef ENV_WORLDPOS
		varying vec3 vWorldPosition;
		uniform float refractionRatio;
	#else
		varying vec3 vReflect;
	#endif
#endif`,M_=`#ifdef USE_ENVMAP
	#if defined( USE_BUMPMAP ) || defined( USE_NORMALMAP ) || defined( PHONG ) || defined( LAMBERT )
		#define ENV_WORLDPOS
	#endif
	#ifdef ENV_WORLDPOS
		
		varying vec3 vWorldPosition;
	#else
		varying vec3 vReflect;
		uniform float refractionRatio;
	#endif
#endif`,S_=`#ifdef USE_ENVMAP
	#ifdef ENV_WORLDPOS
		vWorldPosition = worldPosition.xyz;
	#else
		vec3 cameraToVertex;
		if ( isOrthographic ) {
			cameraToVertex = normalize( vec3( - viewMatrix[ 0 ][ 2 ], - viewMatrix[ 1 ][ 2 ], - viewMatrix[ 2 ][ 2 ] ) );
		} else {
			cameraToVertex = normalize( worldPosition.xyz - cameraPosition );
		}
		vec3 worldNormal = inverseTransformDirection( transformedNormal, viewMatrix );
		#ifdef ENVMAP_MODE_REFLECTION
			vReflect = reflect( cameraToVertex, worldNormal );
		#else
			vReflect = refract( cameraToVertex, worldNormal, refractionRatio );
		#endif
	#endif
#endif`,y_=`#ifdef USE_FOG
	vFogDepth = - mvPosition.z;
#endif`,E_=`#ifdef USE_FOG
	varying float vFogDepth;
#endif`,b_=`#ifdef USE_FOG
	#ifdef FOG_EXP2
		float fogFactor = 1.0 - exp( - fogDensity * fogDensity * vFogDepth * vFogDepth );
	#else
		float fogFactor = smoothstep( fogNear, fogFar, vFogDepth );
	#endif
	gl_FragColor.rgb = mix( gl_FragColor.rgb, fogColor, fogFactor );
#endif`,w_=`#ifdef USE_FOG
	uniform vec3 fogColor;
	varying float vFogDepth;
	#ifdef FOG_EXP2
		uniform float fogDensity;
	#else
		uniform float fogNear;
		uniform float fogFar;
	#endif
#endif`,T_=`#ifdef USE_GRADIENTMAP
	uniform sampler2D gradientMap;
#endif
vec3 getGradientIrradiance( vec3 normal, vec3 lightDirection ) {
	float dotNL = dot( normal, lightDirection );
	vec2 coord = vec2( dotNL * 0.5 + 0.5, 0.0 );
	#ifdef USE_GRADIENTMAP
		return vec3( texture2D( gradientMap, coord ).r );
	#else
		vec2 fw = fwidth( coord ) * 0.5;
		return mix( vec3( 0.7 ), vec3( 1.0 ), smoothstep( 0.7 - fw.x, 0.7 + fw.x, coord.x ) );
	#endif
}`,A_=`#ifdef USE_LIGHTMAP
	uniform sampler2D lightMap;
	uniform float lightMapIntensity;
#endif`,R_=`LambertMaterial material;
material.diffuseColor = diffuseColor.rgb;
material.specularStrength = specularStrength;`,C_=`varying vec3 vViewPosition;
struct LambertMaterial {
	vec3 diffuseColor;
	float specularStrength;
};
void RE_Direct_Lambert( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in LambertMaterial material, inout ReflectedLight reflectedLight ) {
	float dotNL = saturate( dot( geometryNormal, directLight.direction ) );
	vec3 irradiance = dotNL * directLight.color;
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
void RE_IndirectDiffuse_Lambert( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in LambertMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
#define RE_Direct				RE_Direct_Lambert
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Lambert`,P_=`uniform bool receiveShadow;
uniform vec3 ambientLightColor;
#if defined( USE_LIGHT_PROBES )
	uniform vec3 lightProbe[ 9 ];
#endif
vec3 shGetIrradianceAt( in vec3 normal, in vec3 shCoefficients[ 9 ] ) {
	float x = normal.x, y = normal.y, z = normal.z;
	vec3 result = shCoefficients[ 0 ] * 0.886227;
	result += shCoefficients[ 1 ] * 2.0 * 0.511664 * y;
	result += shCoefficients[ 2 ] * 2.0 * 0.511664 * z;
	result += shCoefficients[ 3 ] * 2.0 * 0.511664 * x;
	result += shCoefficients[ 4 ] * 2.0 * 0.429043 * x * y;
	result += shCoefficients[ 5 ] * 2.0 * 0.429043 * y * z;
	result += shCoefficients[ 6 ] * ( 0.743125 * z * z - 0.247708 );
	result += shCoefficients[ 7 ] * 2.0 * 0.429043 * x * z;
	result += shCoefficients[ 8 ] * 0.429043 * ( x * x - y * y );
	return result;
}
vec3 getLightProbeIrradiance( const in vec3 lightProbe[ 9 ], const in vec3 normal ) {
	vec3 worldNormal = inverseTransformDirection( normal, viewMatrix );
	vec3 irradiance = shGetIrradianceAt( worldNormal, lightProbe );
	return irradiance;
}
vec3 getAmbientLightIrradiance( const in vec3 ambientLightColor ) {
	vec3 irradiance = ambientLightColor;
	return irradiance;
}
float getDistanceAttenuation( const in float lightDistance, const in float cutoffDistance, const in float decayExponent ) {
	#if defined ( LEGACY_LIGHTS )
		if ( cutoffDistance > 0.0 && decayExponent > 0.0 ) {
			return pow( saturate( - lightDistance / cutoffDistance + 1.0 ), decayExponent );
		}
		return 1.0;
	#else
		float distanceFalloff = 1.0 / max( pow( lightDistance, decayExponent ), 0.01 );
		if ( cutoffDistance > 0.0 ) {
			distanceFalloff *= pow2( saturate( 1.0 - pow4( lightDistance / cutoffDistance ) ) );
		}
		return distanceFalloff;
	#endif
}
float getSpotAttenuation( const in float coneCosine, const in float penumbraCosine, const in float angleCosine ) {
	return smoothstep( coneCosine, penumbraCosine, angleCosine );
}
#if NUM_DIR_LIGHTS > 0
	struct DirectionalLight {
		vec3 direction;
		vec3 color;
	};
	uniform DirectionalLight directionalLights[ NUM_DIR_LIGHTS ];
	void getDirectionalLightInfo( const in DirectionalLight directionalLight, out IncidentLight light ) {
		light.color = directionalLight.color;
		light.direction = directionalLight.direction;
		light.visible = true;
	}
#endif
#if NUM_POINT_LIGHTS > 0
	struct PointLight {
		vec3 position;
		vec3 color;
		float distance;
		float decay;
	};
	uniform PointLight pointLights[ NUM_POINT_LIGHTS ];
	void getPointLightInfo( const in PointLight pointLight, const in vec3 geometryPosition, out IncidentLight light ) {
		vec3 lVector = pointLight.position - geometryPosition;
		light.direction = normalize( lVector );
		float lightDistance = length( lVector );
		light.color = pointLight.color;
		light.color *= getDistanceAttenuation( lightDistance, pointLight.distance, pointLight.decay );
		light.visible = ( light.color != vec3( 0.0 ) );
	}
#endif
#if NUM_SPOT_LIGHTS > 0
	struct SpotLight {
		vec3 position;
		vec3 direction;
		vec3 color;
		float distance;
		float decay;
		float coneCos;
		float penumbraCos;
	};
	uniform SpotLight spotLights[ NUM_SPOT_LIGHTS ];
	void getSpotLightInfo( const in SpotLight spotLight, const in vec3 geometryPosition, out IncidentLight light ) {
		vec3 lVector = spotLight.position - geometryPosition;
		light.direction = normalize( lVector );
		float angleCos = dot( light.direction, spotLight.direction );
		float spotAttenuation = getSpotAttenuation( spotLight.coneCos, spotLight.penumbraCos, angleCos );
		if ( spotAttenuation > 0.0 ) {
			float lightDistance = length( lVector );
			light.color = spotLight.color * spotAttenuation;
			light.color *= getDistanceAttenuation( lightDistance, spotLight.distance, spotLight.decay );
			light.visible = ( light.color != vec3( 0.0 ) );
		} else {
			light.color = vec3( 0.0 );
			light.visible = false;
		}
	}
#endif
#if NUM_RECT_AREA_LIGHTS > 0
	struct RectAreaLight {
		vec3 color;
		vec3 position;
		vec3 halfWidth;
		vec3 halfHeight;
	};
	uniform sampler2D ltc_1;	uniform sampler2D ltc_2;
	uniform RectAreaLight rectAreaLights[ NUM_RECT_AREA_LIGHTS ];
#endif
#if NUM_HEMI_LIGHTS > 0
	struct HemisphereLight {
		vec3 direction;
		vec3 skyColor;
		vec3 groundColor;
	};
	uniform HemisphereLight hemisphereLights[ NUM_HEMI_LIGHTS ];
	vec3 getHemisphereLightIrradiance( const in HemisphereLight hemiLight, const in vec3 normal ) {
		float dotNL = dot( normal, hemiLight.direction );
		float hemiDiffuseWeight = 0.5 * dotNL + 0.5;
		vec3 irradiance = mix( hemiLight.groundColor, hemiLight.skyColor, hemiDiffuseWeight );
		return irradiance;
	}
#endif`,L_=`#ifdef USE_ENVMAP
	vec3 getIBLIrradiance( const in vec3 normal ) {
		#ifdef ENVMAP_TYPE_CUBE_UV
			vec3 worldNormal = inverseTransformDirection( normal, viewMatrix );
			vec4 envMapColor = textureCubeUV( envMap, envMapRotation * worldNormal, 1.0 );
			return PI * envMapColor.rgb * envMapIntensity;
		#else
			return vec3( 0.0 );
		#endif
	}
	vec3 getIBLRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness ) {
		#ifdef ENVMAP_TYPE_CUBE_UV
			vec3 reflectVec = reflect( - viewDir, normal );
			reflectVec = normalize( mix( reflectVec, normal, roughness * roughness) );
			reflectVec = inverseTransformDirection( reflectVec, viewMatrix );
			vec4 envMapColor = textureCubeUV( envMap, envMapRotation * reflectVec, roughness );
			return envMapColor.rgb * envMapIntensity;
		#else
			return vec3( 0.0 );
		#endif
	}
	#ifdef USE_ANISOTROPY
		vec3 getIBLAnisotropyRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness, const in vec3 bitangent, const in float anisotropy ) {
			#ifdef ENVMAP_TYPE_CUBE_UV
				vec3 bentNormal = cross( bitangent, viewDir );
				bentNormal = normalize( cross( bentNormal, bitangent ) );
				bentNormal = normalize( mix( bentNormal, normal, pow2( pow2( 1.0 - anisotropy * ( 1.0 - roughness ) ) ) ) );
				return getIBLRadiance( viewDir, bentNormal, roughness );
			#else
				return vec3( 0.0 );
			#endif
		}
	#endif
#endif`,D_=`ToonMaterial material;
material.diffuseColor = diffuseColor.rgb;`,U_=`varying vec3 vViewPosition;
struct ToonMaterial {
	vec3 diffuseColor;
};
void RE_Direct_Toon( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in ToonMaterial material, inout ReflectedLight reflectedLight ) {
	vec3 irradiance = getGradientIrradiance( geometryNormal, directLight.direction ) * directLight.color;
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
void RE_IndirectDiffuse_Toon( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in ToonMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
#define RE_Direct				RE_Direct_Toon
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Toon`,I_=`BlinnPhongMaterial material;
material.diffuseColor = diffuseColor.rgb;
material.specularColor = specular;
material.specularShininess = shininess;
material.specularStrength = specularStrength;`,N_=`varying vec3 vViewPosition;
struct BlinnPhongMaterial {
	vec3 diffuseColor;
	vec3 specularColor;
	float specularShininess;
	float specularStrength;
};
void RE_Direct_BlinnPhong( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in BlinnPhongMaterial material, inout ReflectedLight reflectedLight ) {
	float dotNL = saturate( dot( geometryNormal, directLight.direction ) );
	vec3 irradiance = dotNL * directLight.color;
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
	reflectedLight.directSpecular += irradiance * BRDF_BlinnPhong( directLight.direction, geometryViewDir, geometryNormal, material.specularColor, material.specularShininess ) * material.specularStrength;
}
void RE_IndirectDiffuse_BlinnPhong( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in BlinnPhongMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
#define RE_Direct				RE_Direct_BlinnPhong
#define RE_IndirectDiffuse		RE_IndirectDiffuse_BlinnPhong`,O_=`PhysicalMaterial material;
material.diffuseColor = diffuseColor.rgb * ( 1.0 - metalnessFactor );
vec3 dxy = max( abs( dFdx( nonPerturbedNormal ) ), abs( dFdy( nonPerturbedNormal ) ) );
float geometryRoughness = max( max( dxy.x, dxy.y ), dxy.z );
material.roughness = max( roughnessFactor, 0.0525 );material.roughness += geometryRoughness;
material.roughness = min( material.roughness, 1.0 );
#ifdef IOR
	material.ior = ior;
	#ifdef USE_SPECULAR
		float specularIntensityFactor = specularIntensity;
		vec3 specularColorFactor = specularColor;
		#ifdef USE_SPECULAR_COLORMAP
			specularColorFactor *= texture2D( specularColorMap, vSpecularColorMapUv ).rgb;
		#endif
		#ifdef USE_SPECULAR_INTENSITYMAP
			specularIntensityFactor *= texture2D( specularIntensityMap, vSpecularIntensityMapUv ).a;
		#endif
		material.specularF90 = mix( specularIntensityFactor, 1.0, metalnessFactor );
	#else
		float specularIntensityFactor = 1.0;
		vec3 specularColorFactor = vec3( 1.0 );
		material.specularF90 = 1.0;
	#endif
	material.specularColor = mix( min( pow2( ( material.ior - 1.0 ) / ( material.ior + 1.0 ) ) * specularColorFactor, vec3( 1.0 ) ) * specularIntensityFactor, diffuseColor.rgb, metalnessFactor );
#else
	material.specularColor = mix( vec3( 0.04 ), diffuseColor.rgb, metalnessFactor );
	material.specularF90 = 1.0;
#endif
#ifdef USE_CLEARCOAT
	material.clearcoat = clearcoat;
	material.clearcoatRoughness = clearcoatRoughness;
	material.clearcoatF0 = vec3( 0.04 );
	material.clearcoatF90 = 1.0;
	#ifdef USE_CLEARCOATMAP
		material.clearcoat *= texture2D( clearcoatMap, vClearcoatMapUv ).x;
	#endif
	#ifdef USE_CLEARCOAT_ROUGHNESSMAP
		material.clearcoatRoughness *= texture2D( clearcoatRoughnessMap, vClearcoatRoughnessMapUv ).y;
	#endif
	material.clearcoat = saturate( material.clearcoat );	material.clearcoatRoughness = max( material.clearcoatRoughness, 0.0525 );
	material.clearcoatRoughness += geometryRoughness;
	material.clearcoatRoughness = min( material.clearcoatRoughness, 1.0 );
#endif
#ifdef USE_DISPERSION
	material.dispersion = dispersion;
#endif
#ifdef USE_IRIDESCENCE
	material.iridescence = iridescence;
	material.iridescenceIOR = iridescenceIOR;
	#ifdef USE_IRIDESCENCEMAP
		material.iridescence *= texture2D( iridescenceMap, vIridescenceMapUv ).r;
	#endif
	#ifdef USE_IRIDESCENCE_THICKNESSMAP
		material.iridescenceThickness = (iridescenceThicknessMaximum - iridescenceThicknessMinimum) * texture2D( iridescenceThicknessMap, vIridescenceThicknessMapUv ).g + iridescenceThicknessMinimum;
	#else
		material.iridescenceThickness = iridescenceThicknessMaximum;
	#endif
#endif
#ifdef USE_SHEEN
	material.sheenColor = sheenColor;
	#ifdef USE_SHEEN_COLORMAP
		material.sheenColor *= texture2D( sheenColorMap, vSheenColorMapUv ).rgb;
	#endif
	material.sheenRoughness = clamp( sheenRoughness, 0.07, 1.0 );
	#ifdef USE_SHEEN_ROUGHNESSMAP
		material.sheenRoughness *= texture2D( sheenRoughnessMap, vSheenRoughnessMapUv ).a;
	#endif
#endif
#ifdef USE_ANISOTROPY
	#ifdef USE_ANISOTROPYMAP
		mat2 anisotropyMat = mat2( anisotropyVector.x, anisotropyVector.y, - anisotropyVector.y, anisotropyVector.x );
		vec3 anisotropyPolar = texture2D( anisotropyMap, vAnisotropyMapUv ).rgb;
		vec2 anisotropyV = anisotropyMat * normalize( 2.0 * anisotropyPolar.rg - vec2( 1.0 ) ) * anisotropyPolar.b;
	#else
		vec2 anisotropyV = anisotropyVector;
	#endif
	material.anisotropy = length( anisotropyV );
	if( material.anisotropy == 0.0 ) {
		anisotropyV = vec2( 1.0, 0.0 );
	} else {
		anisotropyV /= material.anisotropy;
		material.anisotropy = saturate( material.anisotropy );
	}
	material.alphaT = mix( pow2( material.roughness ), 1.0, pow2( material.anisotropy ) );
	material.anisotropyT = tbn[ 0 ] * anisotropyV.x + tbn[ 1 ] * anisotropyV.y;
	material.anisotropyB = tbn[ 1 ] * anisotropyV.x - tbn[ 0 ] * anisotropyV.y;
#endif`,F_=`struct PhysicalMaterial {
	vec3 diffuseColor;
	float roughness;
	vec3 specularColor;
	float specularF90;
	float dispersion;
	#ifdef USE_CLEARCOAT
		float clearcoat;
		float clearcoatRoughness;
		vec3 clearcoatF0;
		float clearcoatF90;
	#endif
	#ifdef USE_IRIDESCENCE
		float iridescence;
		float iridescenceIOR;
		float iridescenceThickness;
		vec3 iridescenceFresnel;
		vec3 iridescenceF0;
	#endif
	#ifdef USE_SHEEN
		vec3 sheenColor;
		float sheenRoughness;
	#endif
	#ifdef IOR
		float ior;
	#endif
	#ifdef USE_TRANSMISSION
		float transmission;
		float transmissionAlpha;
		float thickness;
		float attenuationDistance;
		vec3 attenuationColor;
	#endif
	#ifdef USE_ANISOTROPY
		float anisotropy;
		float alphaT;
		vec3 anisotropyT;
		vec3 anisotropyB;
	#endif
};
vec3 clearcoatSpecularDirect = vec3( 0.0 );
vec3 clearcoatSpecularIndirect = vec3( 0.0 );
vec3 sheenSpecularDirect = vec3( 0.0 );
vec3 sheenSpecularIndirect = vec3(0.0 );
vec3 Schlick_to_F0( const in vec3 f, const in float f90, const in float dotVH ) {
    float x = clamp( 1.0 - dotVH, 0.0, 1.0 );
    float x2 = x * x;
    float x5 = clamp( x * x2 * x2, 0.0, 0.9999 );
    return ( f - vec3( f90 ) * x5 ) / ( 1.0 - x5 );
}
float V_GGX_SmithCorrelated( const in float alpha, const in float dotNL, const in float dotNV ) {
	float a2 = pow2( alpha );
	float gv = dotNL * sqrt( a2 + ( 1.0 - a2 ) * pow2( dotNV ) );
	float gl = dotNV * sqrt( a2 + ( 1.0 - a2 ) * pow2( dotNL ) );
	return 0.5 / max( gv + gl, EPSILON );
}
float D_GGX( const in float alpha, const in float dotNH ) {
	float a2 = pow2( alpha );
	float denom = pow2( dotNH ) * ( a2 - 1.0 ) + 1.0;
	return RECIPROCAL_PI * a2 / pow2( denom );
}
#ifdef USE_ANISOTROPY
	float V_GGX_SmithCorrelated_Anisotropic( const in float alphaT, const in float alphaB, const in float dotTV, const in float dotBV, const in float dotTL, const in float dotBL, const in float dotNV, const in float dotNL ) {
		float gv = dotNL * length( vec3( alphaT * dotTV, alphaB * dotBV, dotNV ) );
		float gl = dotNV * length( vec3( alphaT * dotTL, alphaB * dotBL, dotNL ) );
		float v = 0.5 / ( gv + gl );
		return saturate(v);
	}
	float D_GGX_Anisotropic( const in float alphaT, const in float alphaB, const in float dotNH, const in float dotTH, const in float dotBH ) {
		float a2 = alphaT * alphaB;
		highp vec3 v = vec3( alphaB * dotTH, alphaT * dotBH, a2 * dotNH );
		highp float v2 = dot( v, v );
		float w2 = a2 / v2;
		return RECIPROCAL_PI * a2 * pow2 ( w2 );
	}
#endif
#ifdef USE_CLEARCOAT
	vec3 BRDF_GGX_Clearcoat( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in PhysicalMaterial material) {
		vec3 f0 = material.clearcoatF0;
		float f90 = material.clearcoatF90;
		float roughness = material.clearcoatRoughness;
		float alpha = pow2( roughness );
		vec3 halfDir = normalize( lightDir + viewDir );
		float dotNL = saturate( dot( normal, lightDir ) );
		float dotNV = saturate( dot( normal, viewDir ) );
		float dotNH = saturate( dot( normal, halfDir ) );
		float dotVH = saturate( dot( viewDir, halfDir ) );
		vec3 F = F_Schlick( f0, f90, dotVH );
		float V = V_GGX_SmithCorrelated( alpha, dotNL, dotNV );
		float D = D_GGX( alpha, dotNH );
		return F * ( V * D );
	}
#endif
vec3 BRDF_GGX( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in PhysicalMaterial material ) {
	vec3 f0 = material.specularColor;
	float f90 = material.specularF90;
	float roughness = material.roughness;
	float alpha = pow2( roughness );
	vec3 halfDir = normalize( lightDir + viewDir );
	float dotNL = saturate( dot( normal, lightDir ) );
	float dotNV = saturate( dot( normal, viewDir ) );
	float dotNH = saturate( dot( normal, halfDir ) );
	float dotVH = saturate( dot( viewDir, halfDir ) );
	vec3 F = F_Schlick( f0, f90, dotVH );
	#ifdef USE_IRIDESCENCE
		F = mix( F, material.iridescenceFresnel, material.iridescence );
	#endif
	#ifdef USE_ANISOTROPY
		float dotTL = dot( material.anisotropyT, lightDir );
		float dotTV = dot( material.anisotropyT, viewDir );
		float dotTH = dot( material.anisotropyT, halfDir );
		float dotBL = dot( material.anisotropyB, lightDir );
		float dotBV = dot( material.anisotropyB, viewDir );
		float dotBH = dot( material.anisotropyB, halfDir );
		float V = V_GGX_SmithCorrelated_Anisotropic( material.alphaT, alpha, dotTV, dotBV, dotTL, dotBL, dotNV, dotNL );
		float D = D_GGX_Anisotropic( material.alphaT, alpha, dotNH, dotTH, dotBH );
	#else
		float V = V_GGX_SmithCorrelated( alpha, dotNL, dotNV );
		float D = D_GGX( alpha, dotNH );
	#endif
	return F * ( V * D );
}
vec2 LTC_Uv( const in vec3 N, const in vec3 V, const in float roughness ) {
	const float LUT_SIZE = 64.0;
	const float LUT_SCALE = ( LUT_SIZE - 1.0 ) / LUT_SIZE;
	const float LUT_BIAS = 0.5 / LUT_SIZE;
	float dotNV = saturate( dot( N, V ) );
	vec2 uv = vec2( roughness, sqrt( 1.0 - dotNV ) );
	uv = uv * LUT_SCALE + LUT_BIAS;
	return uv;
}
float LTC_ClippedSphereFormFactor( const in vec3 f ) {
	float l = length( f );
	return max( ( l * l + f.z ) / ( l + 1.0 ), 0.0 );
}
vec3 LTC_EdgeVectorFormFactor( const in vec3 v1, const in vec3 v2 ) {
	float x = dot( v1, v2 );
	float y = abs( x );
	float a = 0.8543985 + ( 0.4965155 + 0.0145206 * y ) * y;
	float b = 3.4175940 + ( 4.1616724 + y ) * y;
	float v = a / b;
	float theta_sintheta = ( x > 0.0 ) ? v : 0.5 * inversesqrt( max( 1.0 - x * x, 1e-7 ) ) - v;
	return cross( v1, v2 ) * theta_sintheta;
}
vec3 LTC_Evaluate( const in vec3 N, const in vec3 V, const in vec3 P, const in mat3 mInv, const in vec3 rectCoords[ 4 ] ) {
	vec3 v1 = rectCoords[ 1 ] - rectCoords[ 0 ];
	vec3 v2 = rectCoords[ 3 ] - rectCoords[ 0 ];
	vec3 lightNormal = cross( v1, v2 );
	if( dot( lightNormal, P - rectCoords[ 0 ] ) < 0.0 ) return vec3( 0.0 );
	vec3 T1, T2;
	T1 = normalize( V - N * dot( V, N ) );
	T2 = - cross( N, T1 );
	mat3 mat = mInv * transposeMat3( mat3( T1, T2, N ) );
	vec3 coords[ 4 ];
	coords[ 0 ] = mat * ( rectCoords[ 0 ] - P );
	coords[ 1 ] = mat * ( rectCoords[ 1 ] - P );
	coords[ 2 ] = mat * ( rectCoords[ 2 ] - P );
	coords[ 3 ] = mat * ( rectCoords[ 3 ] - P );
	coords[ 0 ] = normalize( coords[ 0 ] );
	coords[ 1 ] = normalize( coords[ 1 ] );
	coords[ 2 ] = normalize( coords[ 2 ] );
	coords[ 3 ] = normalize( coords[ 3 ] );
	vec3 vectorFormFactor = vec3( 0.0 );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 0 ], coords[ 1 ] );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 1 ], coords[ 2 ] );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 2 ], coords[ 3 ] );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 3 ], coords[ 0 ] );
	float result = LTC_ClippedSphereFormFactor( vectorFormFactor );
	return vec3( result );
}
#if defined( USE_SHEEN )
float D_Charlie( float roughness, float dotNH ) {
	float alpha = pow2( roughness );
	float invAlpha = 1.0 / alpha;
	float cos2h = dotNH * dotNH;
	float sin2h = max( 1.0 - cos2h, 0.0078125 );
	return ( 2.0 + invAlpha ) * pow( sin2h, invAlpha * 0.5 ) / ( 2.0 * PI );
}
float V_Neubelt( float dotNV, float dotNL ) {
	return saturate( 1.0 / ( 4.0 * ( dotNL + dotNV - dotNL * dotNV ) ) );
}
vec3 BRDF_Sheen( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, vec3 sheenColor, const in float sheenRoughness ) {
	vec3 halfDir = normalize( lightDir + viewDir );
	float dotNL = saturate( dot( normal, lightDir ) );
	float dotNV = saturate( dot( normal, viewDir ) );
	float dotNH = saturate( dot( normal, halfDir ) );
	float D = D_Charlie( sheenRoughness, dotNH );
	float V = V_Neubelt( dotNV, dotNL );
	return sheenColor * ( D * V );
}
#endif
float IBLSheenBRDF( const in vec3 normal, const in vec3 viewDir, const in float roughness ) {
	float dotNV = saturate( dot( normal, viewDir ) );
	float r2 = roughness * roughness;
	float a = roughness < 0.25 ? -339.2 * r2 + 161.4 * roughness - 25.9 : -8.48 * r2 + 14.3 * roughness - 9.95;
	float b = roughness < 0.25 ? 44.0 * r2 - 23.7 * roughness + 3.26 : 1.97 * r2 - 3.27 * roughness + 0.72;
	float DG = exp( a * dotNV + b ) + ( roughness < 0.25 ? 0.0 : 0.1 * ( roughness - 0.25 ) );
	return saturate( DG * RECIPROCAL_PI );
}
vec2 DFGApprox( const in vec3 normal, const in vec3 viewDir, const in float roughness ) {
	float dotNV = saturate( dot( normal, viewDir ) );
	const vec4 c0 = vec4( - 1, - 0.0275, - 0.572, 0.022 );
	const vec4 c1 = vec4( 1, 0.0425, 1.04, - 0.04 );
	vec4 r = roughness * c0 + c1;
	float a004 = min( r.x * r.x, exp2( - 9.28 * dotNV ) ) * r.x + r.y;
	vec2 fab = vec2( - 1.04, 1.04 ) * a004 + r.zw;
	return fab;
}
vec3 EnvironmentBRDF( const in vec3 normal, const in vec3 viewDir, const in vec3 specularColor, const in float specularF90, const in float roughness ) {
	vec2 fab = DFGApprox( normal, viewDir, roughness );
	return specularColor * fab.x + specularF90 * fab.y;
}
#ifdef USE_IRIDESCENCE
void computeMultiscatteringIridescence( const in vec3 normal, const in vec3 viewDir, const in vec3 specularColor, const in float specularF90, const in float iridescence, const in vec3 iridescenceF0, const in float roughness, inout vec3 singleScatter, inout vec3 multiScatter ) {
#else
void computeMultiscattering( const in vec3 normal, const in vec3 viewDir, const in vec3 specularColor, const in float specularF90, const in float roughness, inout vec3 singleScatter, inout vec3 multiScatter ) {
#endif
	vec2 fab = DFGApprox( normal, viewDir, roughness );
	#ifdef USE_IRIDESCENCE
		vec3 Fr = mix( specularColor, iridescenceF0, iridescence );
	#else
		vec3 Fr = specularColor;
	#endif
	vec3 FssEss = Fr * fab.x + specularF90 * fab.y;
	float Ess = fab.x + fab.y;
	float Ems = 1.0 - Ess;
	vec3 Favg = Fr + ( 1.0 - Fr ) * 0.047619;	vec3 Fms = FssEss * Favg / ( 1.0 - Ems * Favg );
	singleScatter += FssEss;
	multiScatter += Fms * Ems;
}
#if NUM_RECT_AREA_LIGHTS > 0
	void RE_Direct_RectArea_Physical( const in RectAreaLight rectAreaLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
		vec3 normal = geometryNormal;
		vec3 viewDir = geometryViewDir;
		vec3 position = geometryPosition;
		vec3 lightPos = rectAreaLight.position;
		vec3 halfWidth = rectAreaLight.halfWidth;
		vec3 halfHeight = rectAreaLight.halfHeight;
		vec3 lightColor = rectAreaLight.color;
		float roughness = material.roughness;
		vec3 rectCoords[ 4 ];
		rectCoords[ 0 ] = lightPos + halfWidth - halfHeight;		rectCoords[ 1 ] = lightPos - halfWidth - halfHeight;
		rectCoords[ 2 ] = lightPos - halfWidth + halfHeight;
		rectCoords[ 3 ] = lightPos + halfWidth + halfHeight;
		vec2 uv = LTC_Uv( normal, viewDir, roughness );
		vec4 t1 = texture2D( ltc_1, uv );
		vec4 t2 = texture2D( ltc_2, uv );
		mat3 mInv = mat3(
			vec3( t1.x, 0, t1.y ),
			vec3(    0, 1,    0 ),
			vec3( t1.z, 0, t1.w )
		);
		vec3 fresnel = ( material.specularColor * t2.x + ( vec3( 1.0 ) - material.specularColor ) * t2.y );
		reflectedLight.directSpecular += lightColor * fresnel * LTC_Evaluate( normal, viewDir, position, mInv, rectCoords );
		reflectedLight.directDiffuse += lightColor * material.diffuseColor * LTC_Evaluate( normal, viewDir, position, mat3( 1.0 ), rectCoords );
	}
#endif
void RE_Direct_Physical( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
	float dotNL = saturate( dot( geometryNormal, directLight.direction ) );
	vec3 irradiance = dotNL * directLight.color;
	#ifdef USE_CLEARCOAT
		float dotNLcc = saturate( dot( geometryClearcoatNormal, directLight.direction ) );
		vec3 ccIrradiance = dotNLcc * directLight.color;
		clearcoatSpecularDirect += ccIrradiance * BRDF_GGX_Clearcoat( directLight.direction, geometryViewDir, geometryClearcoatNormal, material );
	#endif
	#ifdef USE_SHEEN
		sheenSpecularDirect += irradiance * BRDF_Sheen( directLight.direction, geometryViewDir, geometryNormal, material.sheenColor, material.sheenRoughness );
	#endif
	reflectedLight.directSpecular += irradiance * BRDF_GGX( directLight.direction, geometryViewDir, geometryNormal, material );
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
void RE_IndirectDiffuse_Physical( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
void RE_IndirectSpecular_Physical( const in vec3 radiance, const in vec3 irradiance, const in vec3 clearcoatRadiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight) {
	#ifdef USE_CLEARCOAT
		clearcoatSpecularIndirect += clearcoatRadiance * EnvironmentBRDF( geometryClearcoatNormal, geometryViewDir, material.clearcoatF0, material.clearcoatF90, material.clearcoatRoughness );
	#endif
	#ifdef USE_SHEEN
		sheenSpecularIndirect += irradiance * material.sheenColor * IBLSheenBRDF( geometryNormal, geometryViewDir, material.sheenRoughness );
	#endif
	vec3 singleScattering = vec3( 0.0 );
	vec3 multiScattering = vec3( 0.0 );
	vec3 cosineWeightedIrradiance = irradiance * RECIPROCAL_PI;
	#ifdef USE_IRIDESCENCE
		computeMultiscatteringIridescence( geometryNormal, geometryViewDir, material.specularColor, material.specularF90, material.iridescence, material.iridescenceFresnel, material.roughness, singleScattering, multiScattering );
	#else
		computeMultiscattering( geometryNormal, geometryViewDir, material.specularColor, material.specularF90, material.roughness, singleScattering, multiScattering );
	#endif
	vec3 totalScattering = singleScattering + multiScattering;
	vec3 diffuse = material.diffuseColor * ( 1.0 - max( max( totalScattering.r, totalScattering.g ), totalScattering.b ) );
	reflectedLight.indirectSpecular += radiance * singleScattering;
	reflectedLight.indirectSpecular += multiScattering * cosineWeightedIrradiance;
	reflectedLight.indirectDiffuse += diffuse * cosineWeightedIrradiance;
}
#define RE_Direct				RE_Direct_Physical
#define RE_Direct_RectArea		RE_Direct_RectArea_Physical
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Physical
#define RE_IndirectSpecular		RE_IndirectSpecular_Physical
float computeSpecularOcclusion( const in float dotNV, const in float ambientOcclusion, const in float roughness ) {
	return saturate( pow( dotNV + ambientOcclusion, exp2( - 16.0 * roughness - 1.0 ) ) - 1.0 + ambientOcclusion );
}`,k_=`
vec3 geometryPosition = - vViewPosition;
vec3 geometryNormal = normal;
vec3 geometryViewDir = ( isOrthographic ) ? vec3( 0, 0, 1 ) : normalize( vViewPosition );
vec3 geometryClearcoatNormal = vec3( 0.0 );
#ifdef USE_CLEARCOAT
	geometryClearcoatNormal = clearcoatNormal;
#endif
#ifdef USE_IRIDESCENCE
	float dotNVi = saturate( dot( normal, geometryViewDir ) );
	if ( material.iridescenceThickness == 0.0 ) {
		material.iridescence = 0.0;
	} else {
		material.iridescence = saturate( material.iridescence );
	}
	if ( material.iridescence > 0.0 ) {
		material.iridescenceFresnel = evalIridescence( 1.0, material.iridescenceIOR, dotNVi, material.iridescenceThickness, material.specularColor );
		material.iridescenceF0 = Schlick_to_F0( material.iridescenceFresnel, 1.0, dotNVi );
	}
#endif
IncidentLight directLight;
#if ( NUM_POINT_LIGHTS > 0 ) && defined( RE_Direct )
	PointLight pointLight;
	#if defined( USE_SHADOWMAP ) && NUM_POINT_LIGHT_SHADOWS > 0
	PointLightShadow pointLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_POINT_LIGHTS; i ++ ) {
		pointLight = pointLights[ i ];
		getPointLightInfo( pointLight, geometryPosition, directLight );
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_POINT_LIGHT_SHADOWS )
		pointLightShadow = pointLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getPointShadow( pointShadowMap[ i ], pointLightShadow.shadowMapSize, pointLightShadow.shadowBias, pointLightShadow.shadowRadius, vPointShadowCoord[ i ], pointLightShadow.shadowCameraNear, pointLightShadow.shadowCameraFar ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_SPOT_LIGHTS > 0 ) && defined( RE_Direct )
	SpotLight spotLight;
	vec4 spotColor;
	vec3 spotLightCoord;
	bool inSpotLightMap;
	#if defined( USE_SHADOWMAP ) && NUM_SPOT_LIGHT_SHADOWS > 0
	SpotLightShadow spotLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SPOT_LIGHTS; i ++ ) {
		spotLight = spotLights[ i ];
		getSpotLightInfo( spotLight, geometryPosition, directLight );
		#if ( UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS )
		#define SPOT_LIGHT_MAP_INDEX UNROLLED_LOOP_INDEX
		#elif ( UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS )
		#define SPOT_LIGHT_MAP_INDEX NUM_SPOT_LIGHT_MAPS
		#else
		#define SPOT_LIGHT_MAP_INDEX ( UNROLLED_LOOP_INDEX - NUM_SPOT_LIGHT_SHADOWS + NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS )
		#endif
		#if ( SPOT_LIGHT_MAP_INDEX < NUM_SPOT_LIGHT_MAPS )
			spotLightCoord = vSpotLightCoord[ i ].xyz / vSpotLightCoord[ i ].w;
			inSpotLightMap = all( lessThan( abs( spotLightCoord * 2. - 1. ), vec3( 1.0 ) ) );
			spotColor = texture2D( spotLightMap[ SPOT_LIGHT_MAP_INDEX ], spotLightCoord.xy );
			directLight.color = inSpotLightMap ? directLight.color * spotColor.rgb : directLight.color;
		#endif
		#undef SPOT_LIGHT_MAP_INDEX
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS )
		spotLightShadow = spotLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getShadow( spotShadowMap[ i ], spotLightShadow.shadowMapSize, spotLightShadow.shadowBias, spotLightShadow.shadowRadius, vSpotLightCoord[ i ] ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_DIR_LIGHTS > 0 ) && defined( RE_Direct )
	DirectionalLight directionalLight;
	#if defined( USE_SHADOWMAP ) && NUM_DIR_LIGHT_SHADOWS > 0
	DirectionalLightShadow directionalLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_DIR_LIGHTS; i ++ ) {
		directionalLight = directionalLights[ i ];
		getDirectionalLightInfo( directionalLight, directLight );
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_DIR_LIGHT_SHADOWS )
		directionalLightShadow = directionalLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getShadow( directionalShadowMap[ i ], directionalLightShadow.shadowMapSize, directionalLightShadow.shadowBias, directionalLightShadow.shadowRadius, vDirectionalShadowCoord[ i ] ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_RECT_AREA_LIGHTS > 0 ) && defined( RE_Direct_RectArea )
	RectAreaLight rectAreaLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_RECT_AREA_LIGHTS; i ++ ) {
		rectAreaLight = rectAreaLights[ i ];
		RE_Direct_RectArea( rectAreaLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if defined( RE_IndirectDiffuse )
	vec3 iblIrradiance = vec3( 0.0 );
	vec3 irradiance = getAmbientLightIrradiance( ambientLightColor );
	#if defined( USE_LIGHT_PROBES )
		irradiance += getLightProbeIrradiance( lightProbe, geometryNormal );
	#endif
	#if ( NUM_HEMI_LIGHTS > 0 )
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_HEMI_LIGHTS; i ++ ) {
			irradiance += getHemisphereLightIrradiance( hemisphereLights[ i ], geometryNormal );
		}
		#pragma unroll_loop_end
	#endif
#endif
#if defined( RE_IndirectSpecular )
	vec3 radiance = vec3( 0.0 );
	vec3 clearcoatRadiance = vec3( 0.0 );
#endif`,B_=`#if defined( RE_IndirectDiffuse )
	#ifdef USE_LIGHTMAP
		vec4 lightMapTexel = texture2D( lightMap, vLightMapUv );
		vec3 lightMapIrradiance = lightMapTexel.rgb * lightMapIntensity;
		irradiance += lightMapIrradiance;
	#endif
	#if defined( USE_ENVMAP ) && defined( STANDARD ) && defined( ENVMAP_TYPE_CUBE_UV )
		iblIrradiance += getIBLIrradiance( geometryNormal );
	#endif
#endif
#if defined( USE_ENVMAP ) && defined( RE_IndirectSpecular )
	#ifdef USE_ANISOTROPY
		radiance += getIBLAnisotropyRadiance( geometryViewDir, geometryNormal, material.roughness, material.anisotropyB, material.anisotropy );
	#else
		radiance += getIBLRadiance( geometryViewDir, geometryNormal, material.roughness );
	#endif
	#ifdef USE_CLEARCOAT
		clearcoatRadiance += getIBLRadiance( geometryViewDir, geometryClearcoatNormal, material.clearcoatRoughness );
	#endif
#endif`,z_=`#if defined( RE_IndirectDiffuse )
	RE_IndirectDiffuse( irradiance, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
#endif
#if defined( RE_IndirectSpecular )
	RE_IndirectSpecular( radiance, iblIrradiance, clearcoatRadiance, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
#endif`,H_=`#if defined( USE_LOGDEPTHBUF )
	gl_FragDepth = vIsPerspective == 0.0 ? gl_FragCoord.z : log2( vFragDepth ) * logDepthBufFC * 0.5;
#endif`,V_=`#if defined( USE_LOGDEPTHBUF )
	uniform float logDepthBufFC;
	varying float vFragDepth;
	varying float vIsPerspective;
#endif`,G_=`#ifdef USE_LOGDEPTHBUF
	varying float vFragDepth;
	varying float vIsPerspective;
#endif`,W_=`#ifdef USE_LOGDEPTHBUF
	vFragDepth = 1.0 + gl_Position.w;
	vIsPerspective = float( isPerspectiveMatrix( projectionMatrix ) );
#endif`,$_=`#ifdef USE_MAP
	vec4 sampledDiffuseColor = texture2D( map, vMapUv );
	#ifdef DECODE_VIDEO_TEXTURE
		sampledDiffuseColor = vec4( mix( pow( sampledDiffuseColor.rgb * 0.9478672986 + vec3( 0.0521327014 ), vec3( 2.4 ) ), sampledDiffuseColor.rgb * 0.0773993808, vec3( lessThanEqual( sampledDiffuseColor.rgb, vec3( 0.04045 ) ) ) ), sampledDiffuseColor.w );
	
	#endif
	diffuseColor *= sampledDiffuseColor;
#endif`,X_=`#ifdef USE_MAP
	uniform sampler2D map;
#endif`,Y_=`#if defined( USE_MAP ) || defined( USE_ALPHAMAP )
	#if defined( USE_POINTS_UV )
		vec2 uv = vUv;
	#else
		vec2 uv = ( uvTransform * vec3( gl_PointCoord.x, 1.0 - gl_PointCoord.y, 1 ) ).xy;
	#endif
#endif
#ifdef USE_MAP
	diffuseColor *= texture2D( map, uv );
#endif
#ifdef USE_ALPHAMAP
	diffuseColor.a *= texture2D( alphaMap, uv ).g;
#endif`,q_=`#if defined( USE_POINTS_UV )
	varying vec2 vUv;
#else
	#if defined( USE_MAP ) || defined( USE_ALPHAMAP )
		uniform mat3 uvTransform;
	#endif
#endif
#ifdef USE_MAP
	uniform sampler2D map;
#endif
#ifdef USE_ALPHAMAP
	uniform sampler2D alphaMap;
#endif`,j_=`float metalnessFactor = metalness;
#ifdef USE_METALNESSMAP
	vec4 texelMetalness = texture2D( metalnessMap, vMetalnessMapUv );
	metalnessFactor *= texelMetalness.b;
#endif`,K_=`#ifdef USE_METALNESSMAP
	uniform sampler2D metalnessMap;
#endif`,Z_=`#ifdef USE_INSTANCING_MORPH
	float morphTargetInfluences[MORPHTARGETS_COUNT];
	float morphTargetBaseInfluence = texelFetch( morphTexture, ivec2( 0, gl_InstanceID ), 0 ).r;
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		morphTargetInfluences[i] =  texelFetch( morphTexture, ivec2( i + 1, gl_InstanceID ), 0 ).r;
	}
#endif`,J_=`#if defined( USE_MORPHCOLORS ) && defined( MORPHTARGETS_TEXTURE )
	vColor *= morphTargetBaseInfluence;
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		#if defined( USE_COLOR_ALPHA )
			if ( morphTargetInfluences[ i ] != 0.0 ) vColor += getMorph( gl_VertexID, i, 2 ) * morphTargetInfluences[ i ];
		#elif defined( USE_COLOR )
			if ( morphTargetInfluences[ i ] != 0.0 ) vColor += getMorph( gl_VertexID, i, 2 ).rgb * morphTargetInfluences[ i ];
		#endif
	}
#endif`,Q_=`#ifdef USE_MORPHNORMALS
	objectNormal *= morphTargetBaseInfluence;
	#ifdef MORPHTARGETS_TEXTURE
		for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
			if ( morphTargetInfluences[ i ] != 0.0 ) objectNormal += getMorph( gl_VertexID, i, 1 ).xyz * morphTargetInfluences[ i ];
		}
	#else
		objectNormal += morphNormal0 * morphTargetInfluences[ 0 ];
		objectNormal += morphNormal1 * morphTargetInfluences[ 1 ];
		objectNormal += morphNormal2 * morphTargetInfluences[ 2 ];
		objectNormal += morphNormal3 * morphTargetInfluences[ 3 ];
	#endif
#endif`,e0=`#ifdef USE_MORPHTARGETS
	#ifndef USE_INSTANCING_MORPH
		uniform float morphTargetBaseInfluence;
	#endif
	#ifdef MORPHTARGETS_TEXTURE
		#ifndef USE_INSTANCING_MORPH
			uniform float morphTargetInfluences[ MORPHTARGETS_COUNT ];
		#endif
		uniform sampler2DArray morphTargetsTexture;
		uniform ivec2 morphTargetsTextureSize;
		vec4 getMorph( const in int vertexIndex, const in int morphTargetIndex, const in int offset ) {
			int texelIndex = vertexIndex * MORPHTARGETS_TEXTURE_STRIDE + offset;
			int y = texelIndex / morphTargetsTextureSize.x;
			int x = texelIndex - y * morphTargetsTextureSize.x;
			ivec3 morphUV = ivec3( x, y, morphTargetIndex );
			return texelFetch( morphTargetsTexture, morphUV, 0 );
		}
	#else
		#ifndef USE_MORPHNORMALS
			uniform float morphTargetInfluences[ 8 ];
		#else
			uniform float morphTargetInfluences[ 4 ];
		#endif
	#endif
#endif`,t0=`#ifdef USE_MORPHTARGETS
	transformed *= morphTargetBaseInfluence;
	#ifdef MORPHTARGETS_TEXTURE
		for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
			if ( morphTargetInfluences[ i ] != 0.0 ) transformed += getMorph( gl_VertexID, i, 0 ).xyz * morphTargetInfluences[ i ];
		}
	#else
		transformed += morphTarget0 * morphTargetInfluences[ 0 ];
		transformed += morphTarget1 * morphTargetInfluences[ 1 ];
		transformed += morphTarget2 * morphTargetInfluences[ 2 ];
		transformed += morphTarget3 * morphTargetInfluences[ 3 ];
		#ifndef USE_MORPHNORMALS
			transformed += morphTarget4 * morphTargetInfluences[ 4 ];
			transformed += morphTarget5 * morphTargetInfluences[ 5 ];
			transformed += morphTarget6 * morphTargetInfluences[ 6 ];
			transformed += morphTarget7 * morphTargetInfluences[ 7 ];
		#endif
	#endif
#endif`,n0=`float faceDirection = gl_FrontFacing ? 1.0 : - 1.0;
#ifdef FLAT_SHADED
	vec3 fdx = dFdx( vViewPosition );
	vec3 fdy = dFdy( vViewPosition );
	vec3 normal = normalize( cross( fdx, fdy ) );
#else
	vec3 normal = normalize( vNormal );
	#ifdef DOUBLE_SIDED
		normal *= faceDirection;
	#endif
#endif
#if defined( USE_NORMALMAP_TANGENTSPACE ) || defined( USE_CLEARCOAT_NORMALMAP ) || defined( USE_ANISOTROPY )
	#ifdef USE_TANGENT
		mat3 tbn = mat3( normalize( vTangent ), normalize( vBitangent ), normal );
	#else
		mat3 tbn = getTangentFrame( - vViewPosition, normal,
		#if defined( USE_NORMALMAP )
			vNormalMapUv
		#elif defined( USE_CLEARCOAT_NORMALMAP )
			vClearcoatNormalMapUv
		#else
			vUv
		#endif
		);
	#endif
	#if defined( DOUBLE_SIDED ) && ! defined( FLAT_SHADED )
		tbn[0] *= faceDirection;
		tbn[1] *= faceDirection;
	#endif
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	#ifdef USE_TANGENT
		mat3 tbn2 = mat3( normalize( vTangent ), normalize( vBitangent ), normal );
	#else
		mat3 tbn2 = getTangentFrame( - vViewPosition, normal, vClearcoatNormalMapUv );
	#endif
	#if defined( DOUBLE_SIDED ) && ! defined( FLAT_SHADED )
		tbn2[0] *= faceDirection;
		tbn2[1] *= faceDirection;
	#endif
#endif
vec3 nonPerturbedNormal = normal;`,i0=`#ifdef USE_NORMALMAP_OBJECTSPACE
	normal = texture2D( normalMap, vNormalMapUv ).xyz * 2.0 - 1.0;
	#ifdef FLIP_SIDED
		normal = - normal;
	#endif
	#ifdef DOUBLE_SIDED
		normal = normal * faceDirection;
	#endif
	normal = normalize( normalMatrix * normal );
#elif defined( USE_NORMALMAP_TANGENTSPACE )
	vec3 mapN = texture2D( normalMap, vNormalMapUv ).xyz * 2.0 - 1.0;
	mapN.xy *= normalScale;
	normal = normalize( tbn * mapN );
#elif defined( USE_BUMPMAP )
	normal = perturbNormalArb( - vViewPosition, normal, dHdxy_fwd(), faceDirection );
#endif`,s0=`#ifndef FLAT_SHADED
	varying vec3 vNormal;
	#ifdef USE_TANGENT
		varying vec3 vTangent;
		varying vec3 vBitangent;
	#endif
#endif`,r0=`#ifndef FLAT_SHADED
	varying vec3 vNormal;
	#ifdef USE_TANGENT
		varying vec3 vTangent;
		varying vec3 vBitangent;
	#endif
#endif`,a0=`#ifndef FLAT_SHADED
	vNormal = normalize( transformedNormal );
	#ifdef USE_TANGENT
		vTangent = normalize( transformedTangent );
		vBitangent = normalize( cross( vNormal, vTangent ) * tangent.w );
	#endif
#endif`,o0=`#ifdef USE_NORMALMAP
	uniform sampler2D normalMap;
	uniform vec2 normalScale;
#endif
#ifdef USE_NORMALMAP_OBJECTSPACE
	uniform mat3 normalMatrix;
#endif
#if ! defined ( USE_TANGENT ) && ( defined ( USE_NORMALMAP_TANGENTSPACE ) || defined ( USE_CLEARCOAT_NORMALMAP ) || defined( USE_ANISOTROPY ) )
	mat3 getTangentFrame( vec3 eye_pos, vec3 surf_norm, vec2 uv ) {
		vec3 q0 = dFdx( eye_pos.xyz );
		vec3 q1 = dFdy( eye_pos.xyz );
		vec2 st0 = dFdx( uv.st );
		vec2 st1 = dFdy( uv.st );
		vec3 N = surf_norm;
		vec3 q1perp = cross( q1, N );
		vec3 q0perp = cross( N, q0 );
		vec3 T = q1perp * st0.x + q0perp * st1.x;
		vec3 B = q1perp * st0.y + q0perp * st1.y;
		float det = max( dot( T, T ), dot( B, B ) );
		float scale = ( det == 0.0 ) ? 0.0 : inversesqrt( det );
		return mat3( T * scale, B * scale, N );
	}
#endif`,l0=`#ifdef USE_CLEARCOAT
	vec3 clearcoatNormal = nonPerturbedNormal;
#endif`,c0=`#ifdef USE_CLEARCOAT_NORMALMAP
	vec3 clearcoatMapN = texture2D( clearcoatNormalMap, vClearcoatNormalMapUv ).xyz * 2.0 - 1.0;
	clearcoatMapN.xy *= clearcoatNormalScale;
	clearcoatNormal = normalize( tbn2 * clearcoatMapN );
#endif`,u0=`#ifdef USE_CLEARCOATMAP
	uniform sampler2D clearcoatMap;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	uniform sampler2D clearcoatNormalMap;
	uniform vec2 clearcoatNormalScale;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	uniform sampler2D clearcoatRoughnessMap;
#endif`,h0=`#ifdef USE_IRIDESCENCEMAP
	uniform sampler2D iridescenceMap;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	uniform sampler2D iridescenceThicknessMap;
#endif`,f0=`#ifdef OPAQUE
diffuseColor.a = 1.0;
#endif
#ifdef USE_TRANSMISSION
diffuseColor.a *= material.transmissionAlpha;
#endif
gl_FragColor = vec4( outgoingLight, diffuseColor.a );`,d0=`vec3 packNormalToRGB( const in vec3 normal ) {
	return normalize( normal ) * 0.5 + 0.5;
}
vec3 unpackRGBToNormal( const in vec3 rgb ) {
	return 2.0 * rgb.xyz - 1.0;
}
const float PackUpscale = 256. / 255.;const float UnpackDownscale = 255. / 256.;
const vec3 PackFactors = vec3( 256. * 256. * 256., 256. * 256., 256. );
const vec4 UnpackFactors = UnpackDownscale / vec4( PackFactors, 1. );
const float ShiftRight8 = 1. / 256.;
vec4 packDepthToRGBA( const in float v ) {
	vec4 r = vec4( fract( v * PackFactors ), v );
	r.yzw -= r.xyz * ShiftRight8;	return r * PackUpscale;
}
float unpackRGBAToDepth( const in vec4 v ) {
	return dot( v, UnpackFactors );
}
vec2 packDepthToRG( in highp float v ) {
	return packDepthToRGBA( v ).yx;
}
float unpackRGToDepth( const in highp vec2 v ) {
	return unpackRGBAToDepth( vec4( v.xy, 0.0, 0.0 ) );
}
vec4 pack2HalfToRGBA( vec2 v ) {
	vec4 r = vec4( v.x, fract( v.x * 255.0 ), v.y, fract( v.y * 255.0 ) );
	return vec4( r.x - r.y / 255.0, r.y, r.z - r.w / 255.0, r.w );
}
vec2 unpackRGBATo2Half( vec4 v ) {
	return vec2( v.x + ( v.y / 255.0 ), v.z + ( v.w / 255.0 ) );
}
float viewZToOrthographicDepth( const in float viewZ, const in float near, const in float far ) {
	return ( viewZ + near ) / ( near - far );
}
float orthographicDepthToViewZ( const in float depth, const in float near, const in float far ) {
	return depth * ( near - far ) - near;
}
float viewZToPerspectiveDepth( const in float viewZ, const in float near, const in float far ) {
	return ( ( near + viewZ ) * far ) / ( ( far - near ) * viewZ );
}
float perspectiveDepthToViewZ( const in float depth, const in float near, const in float far ) {
	return ( near * far ) / ( ( far - near ) * depth - far );
}`,p0=`#ifdef PREMULTIPLIED_ALPHA
	gl_FragColor.rgb *= gl_FragColor.a;
#endif`,m0=`vec4 mvPosition = vec4( transformed, 1.0 );
#ifdef USE_BATCHING
	mvPosition = batchingMatrix * mvPosition;
#endif
#ifdef USE_INSTANCING
	mvPosition = instanceMatrix * mvPosition;
#endif
mvPosition = modelViewMatrix * mvPosition;
gl_Position = projectionMatrix * mvPosition;`,g0=`#ifdef DITHERING
	gl_FragColor.rgb = dithering( gl_FragColor.rgb );
#endif`,_0=`#ifdef DITHERING
	vec3 dithering( vec3 color ) {
		float grid_position = rand( gl_FragCoord.xy );
		vec3 dither_shift_RGB = vec3( 0.25 / 255.0, -0.25 / 255.0, 0.25 / 255.0 );
		dither_shift_RGB = mix( 2.0 * dither_shift_RGB, -2.0 * dither_shift_RGB, grid_position );
		return color + dither_shift_RGB;
	}
#endif`,v0=`float roughnessFactor = roughness;
#ifdef USE_ROUGHNESSMAP
	vec4 texelRoughness = texture2D( roughnessMap, vRoughnessMapUv );
	roughnessFactor *= texelRoughness.g;
#endif`,x0=`#ifdef USE_ROUGHNESSMAP
	uniform sampler2D roughnessMap;
#endif`,M0=`#if NUM_SPOT_LIGHT_COORDS > 0
	varying vec4 vSpotLightCoord[ NUM_SPOT_LIGHT_COORDS ];
#endif
#if NUM_SPOT_LIGHT_MAPS > 0
	uniform sampler2D spotLightMap[ NUM_SPOT_LIGHT_MAPS ];
#endif
#ifdef USE_SHADOWMAP
	#if NUM_DIR_LIGHT_SHADOWS > 0
		uniform sampler2D directionalShadowMap[ NUM_DIR_LIGHT_SHADOWS ];
		varying vec4 vDirectionalShadowCoord[ NUM_DIR_LIGHT_SHADOWS ];
		struct DirectionalLightShadow {
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform DirectionalLightShadow directionalLightShadows[ NUM_DIR_LIGHT_SHADOWS ];
	#endif
	#if NUM_SPOT_LIGHT_SHADOWS > 0
		uniform sampler2D spotShadowMap[ NUM_SPOT_LIGHT_SHADOWS ];
		struct SpotLightShadow {
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform SpotLightShadow spotLightShadows[ NUM_SPOT_LIGHT_SHADOWS ];
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
		uniform sampler2D pointShadowMap[ NUM_POINT_LIGHT_SHADOWS ];
		varying vec4 vPointShadowCoord[ NUM_POINT_LIGHT_SHADOWS ];
		struct PointLightShadow {
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
			float shadowCameraNear;
			float shadowCameraFar;
		};
		uniform PointLightShadow pointLightShadows[ NUM_POINT_LIGHT_SHADOWS ];
	#endif
	float texture2DCompare( sampler2D depths, vec2 uv, float compare ) {
		return step( compare, unpackRGBAToDepth( texture2D( depths, uv ) ) );
	}
	vec2 texture2DDistribution( sampler2D shadow, vec2 uv ) {
		return unpackRGBATo2Half( texture2D( shadow, uv ) );
	}
	float VSMShadow (sampler2D shadow, vec2 uv, float compare ){
		float occlusion = 1.0;
		vec2 distribution = texture2DDistribution( shadow, uv );
		float hard_shadow = step( compare , distribution.x );
		if (hard_shadow != 1.0 ) {
			float distance = compare - distribution.x ;
			float variance = max( 0.00000, distribution.y * distribution.y );
			float softness_probability = variance / (variance + distance * distance );			softness_probability = clamp( ( softness_probability - 0.3 ) / ( 0.95 - 0.3 ), 0.0, 1.0 );			occlusion = clamp( max( hard_shadow, softness_probability ), 0.0, 1.0 );
		}
		return occlusion;
	}
	float getShadow( sampler2D shadowMap, vec2 shadowMapSize, float shadowBias, float shadowRadius, vec4 shadowCoord ) {
		float shadow = 1.0;
		shadowCoord.xyz /= shadowCoord.w;
		shadowCoord.z += shadowBias;
		bool inFrustum = shadowCoord.x >= 0.0 && shadowCoord.x <= 1.0 && shadowCoord.y >= 0.0 && shadowCoord.y <= 1.0;
		bool frustumTest = inFrustum && shadowCoord.z <= 1.0;
		if ( frustumTest ) {
		#if defined( SHADOWMAP_TYPE_PCF )
			vec2 texelSize = vec2( 1.0 ) / shadowMapSize;
			float dx0 = - texelSize.x * shadowRadius;
			float dy0 = - texelSize.y * shadowRadius;
			float dx1 = + texelSize.x * shadowRadius;
			float dy1 = + texelSize.y * shadowRadius;
			float dx2 = dx0 / 2.0;
			float dy2 = dy0 / 2.0;
			float dx3 = dx1 / 2.0;
			float dy3 = dy1 / 2.0;
			shadow = (
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx0, dy0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( 0.0, dy0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx1, dy0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx2, dy2 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( 0.0, dy2 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx3, dy2 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx0, 0.0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx2, 0.0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy, shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx3, 0.0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx1, 0.0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx2, dy3 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( 0.0, dy3 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx3, dy3 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx0, dy1 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( 0.0, dy1 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx1, dy1 ), shadowCoord.z )
			) * ( 1.0 / 17.0 );
		#elif defined( SHADOWMAP_TYPE_PCF_SOFT )
			vec2 texelSize = vec2( 1.0 ) / shadowMapSize;
			float dx = texelSize.x;
			float dy = texelSize.y;
			vec2 uv = shadowCoord.xy;
			vec2 f = fract( uv * shadowMapSize + 0.5 );
			uv -= f * texelSize;
			shadow = (
				texture2DCompare( shadowMap, uv, shadowCoord.z ) +
				texture2DCompare( shadowMap, uv + vec2( dx, 0.0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, uv + vec2( 0.0, dy ), shadowCoord.z ) +
				texture2DCompare( shadowMap, uv + texelSize, shadowCoord.z ) +
				mix( texture2DCompare( shadowMap, uv + vec2( -dx, 0.0 ), shadowCoord.z ),
					 texture2DCompare( shadowMap, uv + vec2( 2.0 * dx, 0.0 ), shadowCoord.z ),
					 f.x ) +
				mix( texture2DCompare( shadowMap, uv + vec2( -dx, dy ), shadowCoord.z ),
					 texture2DCompare( shadowMap, uv + vec2( 2.0 * dx, dy ), shadowCoord.z ),
					 f.x ) +
				mix( texture2DCompare( shadowMap, uv + vec2( 0.0, -dy ), shadowCoord.z ),
					 texture2DCompare( shadowMap, uv + vec2( 0.0, 2.0 * dy ), shadowCoord.z ),
					 f.y ) +
				mix( texture2DCompare( shadowMap, uv + vec2( dx, -dy ), shadowCoord.z ),
					 texture2DCompare( shadowMap, uv + vec2( dx, 2.0 * dy ), shadowCoord.z ),
					 f.y ) +
				mix( mix( texture2DCompare( shadowMap, uv + vec2( -dx, -dy ), shadowCoord.z ),
						  texture2DCompare( shadowMap, uv + vec2( 2.0 * dx, -dy ), shadowCoord.z ),
						  f.x ),
					 mix( texture2DCompare( shadowMap, uv + vec2( -dx, 2.0 * dy ), shadowCoord.z ),
						  texture2DCompare( shadowMap, uv + vec2( 2.0 * dx, 2.0 * dy ), shadowCoord.z ),
						  f.x ),
					 f.y )
			) * ( 1.0 / 9.0 );
		#elif defined( SHADOWMAP_TYPE_VSM )
			shadow = VSMShadow( shadowMap, shadowCoord.xy, shadowCoord.z );
		#else
			shadow = texture2DCompare( shadowMap, shadowCoord.xy, shadowCoord.z );
		#endif
		}
		return shadow;
	}
	vec2 cubeToUV( vec3 v, float texelSizeY ) {
		vec3 absV = abs( v );
		float scaleToCube = 1.0 / max( absV.x, max( absV.y, absV.z ) );
		absV *= scaleToCube;
		v *= scaleToCube * ( 1.0 - 2.0 * texelSizeY );
		vec2 planar = v.xy;
		float almostATexel = 1.5 * texelSizeY;
		float almostOne = 1.0 - almostATexel;
		if ( absV.z >= almostOne ) {
			if ( v.z > 0.0 )
				planar.x = 4.0 - v.x;
		} else if ( absV.x >= almostOne ) {
			float signX = sign( v.x );
			planar.x = v.z * signX + 2.0 * signX;
		} else if ( absV.y >= almostOne ) {
			float signY = sign( v.y );
			planar.x = v.x + 2.0 * signY + 2.0;
			planar.y = v.z * signY - 2.0;
		}
		return vec2( 0.125, 0.25 ) * planar + vec2( 0.375, 0.75 );
	}
	float getPointShadow( sampler2D shadowMap, vec2 shadowMapSize, float shadowBias, float shadowRadius, vec4 shadowCoord, float shadowCameraNear, float shadowCameraFar ) {
		float shadow = 1.0;
		vec3 lightToPosition = shadowCoord.xyz;
		
		float lightToPositionLength = length( lightToPosition );
		if ( lightToPositionLength - shadowCameraFar <= 0.0 && lightToPositionLength - shadowCameraNear >= 0.0 ) {
			float dp = ( lightToPositionLength - shadowCameraNear ) / ( shadowCameraFar - shadowCameraNear );			dp += shadowBias;
			vec3 bd3D = normalize( lightToPosition );
			vec2 texelSize = vec2( 1.0 ) / ( shadowMapSize * vec2( 4.0, 2.0 ) );
			#if defined( SHADOWMAP_TYPE_PCF ) || defined( SHADOWMAP_TYPE_PCF_SOFT ) || defined( SHADOWMAP_TYPE_VSM )
				vec2 offset = vec2( - 1, 1 ) * shadowRadius * texelSize.y;
				shadow = (
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.xyy, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.yyy, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.xyx, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.yyx, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.xxy, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.yxy, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.xxx, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.yxx, texelSize.y ), dp )
				) * ( 1.0 / 9.0 );
			#else
				shadow = texture2DCompare( shadowMap, cubeToUV( bd3D, texelSize.y ), dp );
			#endif
		}
		return shadow;
	}
#endif`,S0=`#if NUM_SPOT_LIGHT_COORDS > 0
	uniform mat4 spotLightMatrix[ NUM_SPOT_LIGHT_COORDS ];
	varying vec4 vSpotLightCoord[ NUM_SPOT_LIGHT_COORDS ];
#endif
#ifdef USE_SHADOWMAP
	#if NUM_DIR_LIGHT_SHADOWS > 0
		uniform mat4 directionalShadowMatrix[ NUM_DIR_LIGHT_SHADOWS ];
		varying vec4 vDirectionalShadowCoord[ NUM_DIR_LIGHT_SHADOWS ];
		struct DirectionalLightShadow {
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform DirectionalLightShadow directionalLightShadows[ NUM_DIR_LIGHT_SHADOWS ];
	#endif
	#if NUM_SPOT_LIGHT_SHADOWS > 0
		struct SpotLightShadow {
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform SpotLightShadow spotLightShadows[ NUM_SPOT_LIGHT_SHADOWS ];
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
		uniform mat4 pointShadowMatrix[ NUM_POINT_LIGHT_SHADOWS ];
		varying vec4 vPointShadowCoord[ NUM_POINT_LIGHT_SHADOWS ];
		struct PointLightShadow {
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
			float shadowCameraNear;
			float shadowCameraFar;
		};
		uniform PointLightShadow pointLightShadows[ NUM_POINT_LIGHT_SHADOWS ];
	#endif
#endif`,y0=`#if ( defined( USE_SHADOWMAP ) && ( NUM_DIR_LIGHT_SHADOWS > 0 || NUM_POINT_LIGHT_SHADOWS > 0 ) ) || ( NUM_SPOT_LIGHT_COORDS > 0 )
	vec3 shadowWorldNormal = inverseTransformDirection( transformedNormal, viewMatrix );
	vec4 shadowWorldPosition;
#endif
#if defined( USE_SHADOWMAP )
	#if NUM_DIR_LIGHT_SHADOWS > 0
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_DIR_LIGHT_SHADOWS; i ++ ) {
			shadowWorldPosition = worldPosition + vec4( shadowWorldNormal * directionalLightShadows[ i ].shadowNormalBias, 0 );
			vDirectionalShadowCoord[ i ] = directionalShadowMatrix[ i ] * shadowWorldPosition;
		}
		#pragma unroll_loop_end
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_POINT_LIGHT_SHADOWS; i ++ ) {
			shadowWorldPosition = worldPosition + vec4( shadowWorldNormal * pointLightShadows[ i ].shadowNormalBias, 0 );
			vPointShadowCoord[ i ] = pointShadowMatrix[ i ] * shadowWorldPosition;
		}
		#pragma unroll_loop_end
	#endif
#endif
#if NUM_SPOT_LIGHT_COORDS > 0
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SPOT_LIGHT_COORDS; i ++ ) {
		shadowWorldPosition = worldPosition;
		#if ( defined( USE_SHADOWMAP ) && UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS )
			shadowWorldPosition.xyz += shadowWorldNormal * spotLightShadows[ i ].shadowNormalBias;
		#endif
		vSpotLightCoord[ i ] = spotLightMatrix[ i ] * shadowWorldPosition;
	}
	#pragma unroll_loop_end
#endif`,E0=`float getShadowMask() {
	float shadow = 1.0;
	#ifdef USE_SHADOWMAP
	#if NUM_DIR_LIGHT_SHADOWS > 0
	DirectionalLightShadow directionalLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_DIR_LIGHT_SHADOWS; i ++ ) {
		directionalLight = directionalLightShadows[ i ];
		shadow *= receiveShadow ? getShadow( directionalShadowMap[ i ], directionalLight.shadowMapSize, directionalLight.shadowBias, directionalLight.shadowRadius, vDirectionalShadowCoord[ i ] ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#if NUM_SPOT_LIGHT_SHADOWS > 0
	SpotLightShadow spotLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SPOT_LIGHT_SHADOWS; i ++ ) {
		spotLight = spotLightShadows[ i ];
		shadow *= receiveShadow ? getShadow( spotShadowMap[ i ], spotLight.shadowMapSize, spotLight.shadowBias, spotLight.shadowRadius, vSpotLightCoord[ i ] ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
	PointLightShadow pointLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_POINT_LIGHT_SHADOWS; i ++ ) {
		pointLight = pointLightShadows[ i ];
		shadow *= receiveShadow ? getPointShadow( pointShadowMap[ i ], pointLight.shadowMapSize, pointLight.shadowBias, pointLight.shadowRadius, vPointShadowCoord[ i ], pointLight.shadowCameraNear, pointLight.shadowCameraFar ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#endif
	return shadow;
}`,b0=`#ifdef USE_SKINNING
	mat4 boneMatX = getBoneMatrix( skinIndex.x );
	mat4 boneMatY = getBoneMatrix( skinIndex.y );
	mat4 boneMatZ = getBoneMatrix( skinIndex.z );
	mat4 boneMatW = getBoneMatrix( skinIndex.w );
#endif`,w0=`#ifdef USE_SKINNING
	uniform mat4 bindMatrix;
	uniform mat4 bindMatrixInverse;
	uniform highp sampler2D boneTexture;
	mat4 getBoneMatrix( const in float i ) {
		int size = textureSize( boneTexture, 0 ).x;
		int j = int( i ) * 4;
		int x = j % size;
		int y = j / size;
		vec4 v1 = texelFetch( boneTexture, ivec2( x, y ), 0 );
		vec4 v2 = texelFetch( boneTexture, ivec2( x + 1, y ), 0 );
		vec4 v3 = texelFetch( boneTexture, ivec2( x + 2, y ), 0 );
		vec4 v4 = texelFetch( boneTexture, ivec2( x + 3, y ), 0 );
		return mat4( v1, v2, v3, v4 );
	}
#endif`,T0=`#ifdef USE_SKINNING
	vec4 skinVertex = bindMatrix * vec4( transformed, 1.0 );
	vec4 skinned = vec4( 0.0 );
	skinned += boneMatX * skinVertex * skinWeight.x;
	skinned += boneMatY * skinVertex * skinWeight.y;
	skinned += boneMatZ * skinVertex * skinWeight.z;
	skinned += boneMatW * skinVertex * skinWeight.w;
	transformed = ( bindMatrixInverse * skinned ).xyz;
#endif`,A0=`#ifdef USE_SKINNING
	mat4 skinMatrix = mat4( 0.0 );
	skinMatrix += skinWeight.x * boneMatX;
	skinMatrix += skinWeight.y * boneMatY;
	skinMatrix += skinWeight.z * boneMatZ;
	skinMatrix += skinWeight.w * boneMatW;
	skinMatrix = bindMatrixInverse * skinMatrix * bindMatrix;
	objectNormal = vec4( skinMatrix * vec4( objectNormal, 0.0 ) ).xyz;
	#ifdef USE_TANGENT
		objectTangent = vec4( skinMatrix * vec4( objectTangent, 0.0 ) ).xyz;
	#endif
#endif`,R0=`float specularStrength;
#ifdef USE_SPECULARMAP
	vec4 texelSpecular = texture2D( specularMap, vSpecularMapUv );
	specularStrength = texelSpecular.r;
#else
	specularStrength = 1.0;
#endif`,C0=`#ifdef USE_SPECULARMAP
	uniform sampler2D specularMap;
#endif`,P0=`#if defined( TONE_MAPPING )
	gl_FragColor.rgb = toneMapping( gl_FragColor.rgb );
#endif`,L0=`#ifndef saturate
#define saturate( a ) clamp( a, 0.0, 1.0 )
#endif
uniform float toneMappingExposure;
vec3 LinearToneMapping( vec3 color ) {
	return saturate( toneMappingExposure * color );
}
vec3 ReinhardToneMapping( vec3 color ) {
	color *= toneMappingExposure;
	return saturate( color / ( vec3( 1.0 ) + color ) );
}
vec3 OptimizedCineonToneMapping( vec3 color ) {
	color *= toneMappingExposure;
	color = max( vec3( 0.0 ), color - 0.004 );
	return pow( ( color * ( 6.2 * color + 0.5 ) ) / ( color * ( 6.2 * color + 1.7 ) + 0.06 ), vec3( 2.2 ) );
}
vec3 RRTAndODTFit( vec3 v ) {
	vec3 a = v * ( v + 0.0245786 ) - 0.000090537;
	vec3 b = v * ( 0.983729 * v + 0.4329510 ) + 0.238081;
	return a / b;
}
vec3 ACESFilmicToneMapping( vec3 color ) {
	const mat3 ACESInputMat = mat3(
		vec3( 0.59719, 0.07600, 0.02840 ),		vec3( 0.35458, 0.90834, 0.13383 ),
		vec3( 0.04823, 0.01566, 0.83777 )
	);
	const mat3 ACESOutputMat = mat3(
		vec3(  1.60475, -0.10208, -0.00327 ),		vec3( -0.53108,  1.10813, -0.07276 ),
		vec3( -0.07367, -0.00605,  1.07602 )
	);
	color *= toneMappingExposure / 0.6;
	color = ACESInputMat * color;
	color = RRTAndODTFit( color );
	color = ACESOutputMat * color;
	return saturate( color );
}
const mat3 LINEAR_REC2020_TO_LINEAR_SRGB = mat3(
	vec3( 1.6605, - 0.1246, - 0.0182 ),
	vec3( - 0.5876, 1.1329, - 0.1006 ),
	vec3( - 0.0728, - 0.0083, 1.1187 )
);
const mat3 LINEAR_SRGB_TO_LINEAR_REC2020 = mat3(
	vec3( 0.6274, 0.0691, 0.0164 ),
	vec3( 0.3293, 0.9195, 0.0880 ),
	vec3( 0.0433, 0.0113, 0.8956 )
);
vec3 agxDefaultContrastApprox( vec3 x ) {
	vec3 x2 = x * x;
	vec3 x4 = x2 * x2;
	return + 15.5 * x4 * x2
		- 40.14 * x4 * x
		+ 31.96 * x4
		- 6.868 * x2 * x
		+ 0.4298 * x2
		+ 0.1191 * x
		- 0.00232;
}
vec3 AgXToneMapping( vec3 color ) {
	const mat3 AgXInsetMatrix = mat3(
		vec3( 0.856627153315983, 0.137318972929847, 0.11189821299995 ),
		vec3( 0.0951212405381588, 0.761241990602591, 0.0767994186031903 ),
		vec3( 0.0482516061458583, 0.101439036467562, 0.811302368396859 )
	);
	const mat3 AgXOutsetMatrix = mat3(
		vec3( 1.1271005818144368, - 0.1413297634984383, - 0.14132976349843826 ),
		vec3( - 0.11060664309660323, 1.157823702216272, - 0.11060664309660294 ),
		vec3( - 0.016493938717834573, - 0.016493938717834257, 1.2519364065950405 )
	);
	const float AgxMinEv = - 12.47393;	const float AgxMaxEv = 4.026069;
	color *= toneMappingExposure;
	color = LINEAR_SRGB_TO_LINEAR_REC2020 * color;
	color = AgXInsetMatrix * color;
	color = max( color, 1e-10 );	color = log2( color );
	color = ( color - AgxMinEv ) / ( AgxMaxEv - AgxMinEv );
	color = clamp( color, 0.0, 1.0 );
	color = agxDefaultContrastApprox( color );
	color = AgXOutsetMatrix * color;
	color = pow( max( vec3( 0.0 ), color ), vec3( 2.2 ) );
	color = LINEAR_REC2020_TO_LINEAR_SRGB * color;
	color = clamp( color, 0.0, 1.0 );
	return color;
}
vec3 NeutralToneMapping( vec3 color ) {
	const float StartCompression = 0.8 - 0.04;
	const float Desaturation = 0.15;
	color *= toneMappingExposure;
	float x = min( color.r, min( color.g, color.b ) );
	float offset = x < 0.08 ? x - 6.25 * x * x : 0.04;
	color -= offset;
	float peak = max( color.r, max( color.g, color.b ) );
	if ( peak < StartCompression ) return color;
	float d = 1. - StartCompression;
	float newPeak = 1. - d * d / ( peak + d - StartCompression );
	color *= newPeak / peak;
	float g = 1. - 1. / ( Desaturation * ( peak - newPeak ) + 1. );
	return mix( color, vec3( newPeak ), g );
}
vec3 CustomToneMapping( vec3 color ) { return color; }`,D0=`#ifdef USE_TRANSMISSION
	material.transmission = transmission;
	material.transmissionAlpha = 1.0;
	material.thickness = thickness;
	material.attenuationDistance = attenuationDistance;
	material.attenuationColor = attenuationColor;
	#ifdef USE_TRANSMISSIONMAP
		material.transmission *= texture2D( transmissionMap, vTransmissionMapUv ).r;
	#endif
	#ifdef USE_THICKNESSMAP
		material.thickness *= texture2D( thicknessMap, vThicknessMapUv ).g;
	#endif
	vec3 pos = vWorldPosition;
	vec3 v = normalize( cameraPosition - pos );
	vec3 n = inverseTransformDirection( normal, viewMatrix );
	vec4 transmitted = getIBLVolumeRefraction(
		n, v, material.roughness, material.diffuseColor, material.specularColor, material.specularF90,
		pos, modelMatrix, viewMatrix, projectionMatrix, material.dispersion, material.ior, material.thickness,
		material.attenuationColor, material.attenuationDistance );
	material.transmissionAlpha = mix( material.transmissionAlpha, transmitted.a, material.transmission );
	totalDiffuse = mix( totalDiffuse, transmitted.rgb, material.transmission );
#endif`,U0=`#ifdef USE_TRANSMISSION
	uniform float transmission;
	uniform float thickness;
	uniform float attenuationDistance;
	uniform vec3 attenuationColor;
	#ifdef USE_TRANSMISSIONMAP
		uniform sampler2D transmissionMap;
	#endif
	#ifdef USE_THICKNESSMAP
		uniform sampler2D thicknessMap;
	#endif
	uniform vec2 transmissionSamplerSize;
	uniform sampler2D transmissionSamplerMap;
	uniform mat4 modelMatrix;
	uniform mat4 projectionMatrix;
	varying vec3 vWorldPosition;
	float w0( float a ) {
		return ( 1.0 / 6.0 ) * ( a * ( a * ( - a + 3.0 ) - 3.0 ) + 1.0 );
	}
	float w1( float a ) {
		return ( 1.0 / 6.0 ) * ( a *  a * ( 3.0 * a - 6.0 ) + 4.0 );
	}
	float w2( float a ){
		return ( 1.0 / 6.0 ) * ( a * ( a * ( - 3.0 * a + 3.0 ) + 3.0 ) + 1.0 );
	}
	float w3( float a ) {
		return ( 1.0 / 6.0 ) * ( a * a * a );
	}
	float g0( float a ) {
		return w0( a ) + w1( a );
	}
	float g1( float a ) {
		return w2( a ) + w3( a );
	}
	float h0( float a ) {
		return - 1.0 + w1( a ) / ( w0( a ) + w1( a ) );
	}
	float h1( float a ) {
		return 1.0 + w3( a ) / ( w2( a ) + w3( a ) );
	}
	vec4 bicubic( sampler2D tex, vec2 uv, vec4 texelSize, float lod ) {
		uv = uv * texelSize.zw + 0.5;
		vec2 iuv = floor( uv );
		vec2 fuv = fract( uv );
		float g0x = g0( fuv.x );
		float g1x = g1( fuv.x );
		float h0x = h0( fuv.x );
		float h1x = h1( fuv.x );
		float h0y = h0( fuv.y );
		float h1y = h1( fuv.y );
		vec2 p0 = ( vec2( iuv.x + h0x, iuv.y + h0y ) - 0.5 ) * texelSize.xy;
		vec2 p1 = ( vec2( iuv.x + h1x, iuv.y + h0y ) - 0.5 ) * texelSize.xy;
		vec2 p2 = ( vec2( iuv.x + h0x, iuv.y + h1y ) - 0.5 ) * texelSize.xy;
		vec2 p3 = ( vec2( iuv.x + h1x, iuv.y + h1y ) - 0.5 ) * texelSize.xy;
		return g0( fuv.y ) * ( g0x * textureLod( tex, p0, lod ) + g1x * textureLod( tex, p1, lod ) ) +
			g1( fuv.y ) * ( g0x * textureLod( tex, p2, lod ) + g1x * textureLod( tex, p3, lod ) );
	}
	vec4 textureBicubic( sampler2D sampler, vec2 uv, float lod ) {
		vec2 fLodSize = vec2( textureSize( sampler, int( lod ) ) );
		vec2 cLodSize = vec2( textureSize( sampler, int( lod + 1.0 ) ) );
		vec2 fLodSizeInv = 1.0 / fLodSize;
		vec2 cLodSizeInv = 1.0 / cLodSize;
		vec4 fSample = bicubic( sampler, uv, vec4( fLodSizeInv, fLodSize ), floor( lod ) );
		vec4 cSample = bicubic( sampler, uv, vec4( cLodSizeInv, cLodSize ), ceil( lod ) );
		return mix( fSample, cSample, fract( lod ) );
	}
	vec3 getVolumeTransmissionRay( const in vec3 n, const in vec3 v, const in float thickness, const in float ior, const in mat4 modelMatrix ) {
		vec3 refractionVector = refract( - v, normalize( n ), 1.0 / ior );
		vec3 modelScale;
		modelScale.x = length( vec3( modelMatrix[ 0 ].xyz ) );
		modelScale.y = length( vec3( modelMatrix[ 1 ].xyz ) );
		modelScale.z = length( vec3( modelMatrix[ 2 ].xyz ) );
		return normalize( refractionVector ) * thickness * modelScale;
	}
	float applyIorToRoughness( const in float roughness, const in float ior ) {
		return roughness * clamp( ior * 2.0 - 2.0, 0.0, 1.0 );
	}
	vec4 getTransmissionSample( const in vec2 fragCoord, const in float roughness, const in float ior ) {
		float lod = log2( transmissionSamplerSize.x ) * applyIorToRoughness( roughness, ior );
		return textureBicubic( transmissionSamplerMap, fragCoord.xy, lod );
	}
	vec3 volumeAttenuation( const in float transmissionDistance, const in vec3 attenuationColor, const in float attenuationDistance ) {
		if ( isinf( attenuationDistance ) ) {
			return vec3( 1.0 );
		} else {
			vec3 attenuationCoefficient = -log( attenuationColor ) / attenuationDistance;
			vec3 transmittance = exp( - attenuationCoefficient * transmissionDistance );			return transmittance;
		}
	}
	vec4 getIBLVolumeRefraction( const in vec3 n, const in vec3 v, const in float roughness, const in vec3 diffuseColor,
		const in vec3 specularColor, const in float specularF90, const in vec3 position, const in mat4 modelMatrix,
		const in mat4 viewMatrix, const in mat4 projMatrix, const in float dispersion, const in float ior, const in float thickness,
		const in vec3 attenuationColor, const in float attenuationDistance ) {
		vec4 transmittedLight;
		vec3 transmittance;
		#ifdef USE_DISPERSION
			float halfSpread = ( ior - 1.0 ) * 0.025 * dispersion;
			vec3 iors = vec3( ior - halfSpread, ior, ior + halfSpread );
			for ( int i = 0; i < 3; i ++ ) {
				vec3 transmissionRay = getVolumeTransmissionRay( n, v, thickness, iors[ i ], modelMatrix );
				vec3 refractedRayExit = position + transmissionRay;
		
				vec4 ndcPos = projMatrix * viewMatrix * vec4( refractedRayExit, 1.0 );
				vec2 refractionCoords = ndcPos.xy / ndcPos.w;
				refractionCoords += 1.0;
				refractionCoords /= 2.0;
		
				vec4 transmissionSample = getTransmissionSample( refractionCoords, roughness, iors[ i ] );
				transmittedLight[ i ] = transmissionSample[ i ];
				transmittedLight.a += transmissionSample.a;
				transmittance[ i ] = diffuseColor[ i ] * volumeAttenuation( length( transmissionRay ), attenuationColor, attenuationDistance )[ i ];
			}
			transmittedLight.a /= 3.0;
		
		#else
		
			vec3 transmissionRay = getVolumeTransmissionRay( n, v, thickness, ior, modelMatrix );
			vec3 refractedRayExit = position + transmissionRay;
			vec4 ndcPos = projMatrix * viewMatrix * vec4( refractedRayExit, 1.0 );
			vec2 refractionCoords = ndcPos.xy / ndcPos.w;
			refractionCoords += 1.0;
			refractionCoords /= 2.0;
			transmittedLight = getTransmissionSample( refractionCoords, roughness, ior );
			transmittance = diffuseColor * volumeAttenuation( length( transmissionRay ), attenuationColor, attenuationDistance );
		
		#endif
		vec3 attenuatedColor = transmittance * transmittedLight.rgb;
		vec3 F = EnvironmentBRDF( n, v, specularColor, specularF90, roughness );
		float transmittanceFactor = ( transmittance.r + transmittance.g + transmittance.b ) / 3.0;
		return vec4( ( 1.0 - F ) * attenuatedColor, 1.0 - ( 1.0 - transmittedLight.a ) * transmittanceFactor );
	}
#endif`,I0=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
	varying vec2 vUv;
#endif
#ifdef USE_MAP
	varying vec2 vMapUv;
#endif
#ifdef USE_ALPHAMAP
	varying vec2 vAlphaMapUv;
#endif
#ifdef USE_LIGHTMAP
	varying vec2 vLightMapUv;
#endif
#ifdef USE_AOMAP
	varying vec2 vAoMapUv;
#endif
#ifdef USE_BUMPMAP
	varying vec2 vBumpMapUv;
#endif
#ifdef USE_NORMALMAP
	varying vec2 vNormalMapUv;
#endif
#ifdef USE_EMISSIVEMAP
	varying vec2 vEmissiveMapUv;
#endif
#ifdef USE_METALNESSMAP
	varying vec2 vMetalnessMapUv;
#endif
#ifdef USE_ROUGHNESSMAP
	varying vec2 vRoughnessMapUv;
#endif
#ifdef USE_ANISOTROPYMAP
	varying vec2 vAnisotropyMapUv;
#endif
#ifdef USE_CLEARCOATMAP
	varying vec2 vClearcoatMapUv;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	varying vec2 vClearcoatNormalMapUv;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	varying vec2 vClearcoatRoughnessMapUv;
#endif
#ifdef USE_IRIDESCENCEMAP
	varying vec2 vIridescenceMapUv;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	varying vec2 vIridescenceThicknessMapUv;
#endif
#ifdef USE_SHEEN_COLORMAP
	varying vec2 vSheenColorMapUv;
#endif
#ifdef USE_SHEEN_ROUGHNESSMAP
	varying vec2 vSheenRoughnessMapUv;
#endif
#ifdef USE_SPECULARMAP
	varying vec2 vSpecularMapUv;
#endif
#ifdef USE_SPECULAR_COLORMAP
	varying vec2 vSpecularColorMapUv;
#endif
#ifdef USE_SPECULAR_INTENSITYMAP
	varying vec2 vSpecularIntensityMapUv;
#endif
#ifdef USE_TRANSMISSIONMAP
	uniform mat3 transmissionMapTransform;
	varying vec2 vTransmissionMapUv;
#endif
#ifdef USE_THICKNESSMAP
	uniform mat3 thicknessMapTransform;
	varying vec2 vThicknessMapUv;
#endif`,N0=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
	varying vec2 vUv;
#endif
#ifdef USE_MAP
	uniform mat3 mapTransform;
	varying vec2 vMapUv;
#endif
#ifdef USE_ALPHAMAP
	uniform mat3 alphaMapTransform;
	varying vec2 vAlphaMapUv;
#endif
#ifdef USE_LIGHTMAP
	uniform mat3 lightMapTransform;
	varying vec2 vLightMapUv;
#endif
#ifdef USE_AOMAP
	uniform mat3 aoMapTransform;
	varying vec2 vAoMapUv;
#endif
#ifdef USE_BUMPMAP
	uniform mat3 bumpMapTransform;
	varying vec2 vBumpMapUv;
#endif
#ifdef USE_NORMALMAP
	uniform mat3 normalMapTransform;
	varying vec2 vNormalMapUv;
#endif
#ifdef USE_DISPLACEMENTMAP
	uniform mat3 displacementMapTransform;
	varying vec2 vDisplacementMapUv;
#endif
#ifdef USE_EMISSIVEMAP
	uniform mat3 emissiveMapTransform;
	varying vec2 vEmissiveMapUv;
#endif
#ifdef USE_METALNESSMAP
	uniform mat3 metalnessMapTransform;
	varying vec2 vMetalnessMapUv;
#endif
#ifdef USE_ROUGHNESSMAP
	uniform mat3 roughnessMapTransform;
	varying vec2 vRoughnessMapUv;
#endif
#ifdef USE_ANISOTROPYMAP
	uniform mat3 anisotropyMapTransform;
	varying vec2 vAnisotropyMapUv;
#endif
#ifdef USE_CLEARCOATMAP
	uniform mat3 clearcoatMapTransform;
	varying vec2 vClearcoatMapUv;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	uniform mat3 clearcoatNormalMapTransform;
	varying vec2 vClearcoatNormalMapUv;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	uniform mat3 clearcoatRoughnessMapTransform;
	varying vec2 vClearcoatRoughnessMapUv;
#endif
#ifdef USE_SHEEN_COLORMAP
	uniform mat3 sheenColorMapTransform;
	varying vec2 vSheenColorMapUv;
#endif
#ifdef USE_SHEEN_ROUGHNESSMAP
	uniform mat3 sheenRoughnessMapTransform;
	varying vec2 vSheenRoughnessMapUv;
#endif
#ifdef USE_IRIDESCENCEMAP
	uniform mat3 iridescenceMapTransform;
	varying vec2 vIridescenceMapUv;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	uniform mat3 iridescenceThicknessMapTransform;
	varying vec2 vIridescenceThicknessMapUv;
#endif
#ifdef USE_SPECULARMAP
	uniform mat3 specularMapTransform;
	varying vec2 vSpecularMapUv;
#endif
#ifdef USE_SPECULAR_COLORMAP
	uniform mat3 specularColorMapTransform;
	varying vec2 vSpecularColorMapUv;
#endif
#ifdef USE_SPECULAR_INTENSITYMAP
	uniform mat3 specularIntensityMapTransform;
	varying vec2 vSpecularIntensityMapUv;
#endif
#ifdef USE_TRANSMISSIONMAP
	uniform mat3 transmissionMapTransform;
	varying vec2 vTransmissionMapUv;
#endif
#ifdef USE_THICKNESSMAP
	uniform mat3 thicknessMapTransform;
	varying vec2 vThicknessMapUv;
#endif`,O0=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
	vUv = vec3( uv, 1 ).xy;
#endif
#ifdef USE_MAP
	vMapUv = ( mapTransform * vec3( MAP_UV, 1 ) ).xy;
#endif
#ifdef USE_ALPHAMAP
	vAlphaMapUv = ( alphaMapTransform * vec3( ALPHAMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_LIGHTMAP
	vLightMapUv = ( lightMapTransform * vec3( LIGHTMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_AOMAP
	vAoMapUv = ( aoMapTransform * vec3( AOMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_BUMPMAP
	vBumpMapUv = ( bumpMapTransform * vec3( BUMPMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_NORMALMAP
	vNormalMapUv = ( normalMapTransform * vec3( NORMALMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_DISPLACEMENTMAP
	vDisplacementMapUv = ( displacementMapTransform * vec3( DISPLACEMENTMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_EMISSIVEMAP
	vEmissiveMapUv = ( emissiveMapTransform * vec3( EMISSIVEMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_METALNESSMAP
	vMetalnessMapUv = ( metalnessMapTransform * vec3( METALNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_ROUGHNESSMAP
	vRoughnessMapUv = ( roughnessMapTransform * vec3( ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_ANISOTROPYMAP
	vAnisotropyMapUv = ( anisotropyMapTransform * vec3( ANISOTROPYMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_CLEARCOATMAP
	vClearcoatMapUv = ( clearcoatMapTransform * vec3( CLEARCOATMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	vClearcoatNormalMapUv = ( clearcoatNormalMapTransform * vec3( CLEARCOAT_NORMALMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	vClearcoatRoughnessMapUv = ( clearcoatRoughnessMapTransform * vec3( CLEARCOAT_ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_IRIDESCENCEMAP
	vIridescenceMapUv = ( iridescenceMapTransform * vec3( IRIDESCENCEMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	vIridescenceThicknessMapUv = ( iridescenceThicknessMapTransform * vec3( IRIDESCENCE_THICKNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SHEEN_COLORMAP
	vSheenColorMapUv = ( sheenColorMapTransform * vec3( SHEEN_COLORMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SHEEN_ROUGHNESSMAP
	vSheenRoughnessMapUv = ( sheenRoughnessMapTransform * vec3( SHEEN_ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SPECULARMAP
	vSpecularMapUv = ( specularMapTransform * vec3( SPECULARMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SPECULAR_COLORMAP
	vSpecularColorMapUv = ( specularColorMapTransform * vec3( SPECULAR_COLORMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SPECULAR_INTENSITYMAP
	vSpecularIntensityMapUv = ( specularIntensityMapTransform * vec3( SPECULAR_INTENSITYMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_TRANSMISSIONMAP
	vTransmissionMapUv = ( transmissionMapTransform * vec3( TRANSMISSIONMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_THICKNESSMAP
	vThicknessMapUv = ( thicknessMapTransform * vec3( THICKNESSMAP_UV, 1 ) ).xy;
#endif`,F0=`#if defined( USE_ENVMAP ) || defined( DISTANCE ) || defined ( USE_SHADOWMAP ) || defined ( USE_TRANSMISSION ) || NUM_SPOT_LIGHT_COORDS > 0
	vec4 worldPosition = vec4( transformed, 1.0 );
	#ifdef USE_BATCHING
		worldPosition = batchingMatrix * worldPosition;
	#endif
	#ifdef USE_INSTANCING
		worldPosition = instanceMatrix * worldPosition;
	#endif
	worldPosition = modelMatrix * worldPosition;
#endif`;const k0=`varying vec2 vUv;
uniform mat3 uvTransform;
void main() {
	vUv = ( uvTransform * vec3( uv, 1 ) ).xy;
	gl_Position = vec4( position.xy, 1.0, 1.0 );
}`,B0=`uniform sampler2D t2D;
uniform float backgroundIntensity;
varying vec2 vUv;
void main() {
	vec4 texColor = texture2D( t2D, vUv );
	#ifdef DECODE_VIDEO_TEXTURE
		texColor = vec4( mix( pow( texColor.rgb * 0.9478672986 + vec3( 0.0521327014 ), vec3( 2.4 ) ), texColor.rgb * 0.0773993808, vec3( lessThanEqual( texColor.rgb, vec3( 0.04045 ) ) ) ), texColor.w );
	#endif
	texColor.rgb *= backgroundIntensity;
	gl_FragColor = texColor;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,z0=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
	gl_Position.z = gl_Position.w;
}`,H0=`#ifdef ENVMAP_TYPE_CUBE
	uniform samplerCube envMap;
#elif defined( ENVMAP_TYPE_CUBE_UV )
	uniform sampler2D envMap;
#endif
uniform float flipEnvMap;
uniform float backgroundBlurriness;
uniform float backgroundIntensity;
uniform mat3 backgroundRotation;
varying vec3 vWorldDirection;
#include <cube_uv_reflection_fragment>
void main() {
	#ifdef ENVMAP_TYPE_CUBE
		vec4 texColor = textureCube( envMap, backgroundRotation * vec3( flipEnvMap * vWorldDirection.x, vWorldDirection.yz ) );
	#elif defined( ENVMAP_TYPE_CUBE_UV )
		vec4 texColor = textureCubeUV( envMap, backgroundRotation * vWorldDirection, backgroundBlurriness );
	#else
		vec4 texColor = vec4( 0.0, 0.0, 0.0, 1.0 );
	#endif
	texColor.rgb *= backgroundIntensity;
	gl_FragColor = texColor;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,V0=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
	gl_Position.z = gl_Position.w;
}`,G0=`uniform samplerCube tCube;
uniform float tFlip;
uniform float opacity;
varying vec3 vWorldDirection;
void main() {
	vec4 texColor = textureCube( tCube, vec3( tFlip * vWorldDirection.x, vWorldDirection.yz ) );
	gl_FragColor = texColor;
	gl_FragColor.a *= opacity;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,W0=`#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
varying vec2 vHighPrecisionZW;
void main() {
	#include <uv_vertex>
	#include <batching_vertex>
	#include <skinbase_vertex>
	#include <morphinstance_vertex>
	#ifdef USE_DISPLACEMENTMAP
		#include <beginnormal_vertex>
		#include <morphnormal_vertex>
		#include <skinnormal_vertex>
	#endif
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vHighPrecisionZW = gl_Position.zw;
}`,$0=`#if DEPTH_PACKING == 3200
	uniform float opacity;
#endif
#include <common>
#include <packing>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
varying vec2 vHighPrecisionZW;
void main() {
	vec4 diffuseColor = vec4( 1.0 );
	#include <clipping_planes_fragment>
	#if DEPTH_PACKING == 3200
		diffuseColor.a = opacity;
	#endif
	#include <map_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <logdepthbuf_fragment>
	float fragCoordZ = 0.5 * vHighPrecisionZW[0] / vHighPrecisionZW[1] + 0.5;
	#if DEPTH_PACKING == 3200
		gl_FragColor = vec4( vec3( 1.0 - fragCoordZ ), opacity );
	#elif DEPTH_PACKING == 3201
		gl_FragColor = packDepthToRGBA( fragCoordZ );
	#endif
}`,X0=`#define DISTANCE
varying vec3 vWorldPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <batching_vertex>
	#include <skinbase_vertex>
	#include <morphinstance_vertex>
	#ifdef USE_DISPLACEMENTMAP
		#include <beginnormal_vertex>
		#include <morphnormal_vertex>
		#include <skinnormal_vertex>
	#endif
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <worldpos_vertex>
	#include <clipping_planes_vertex>
	vWorldPosition = worldPosition.xyz;
}`,Y0=`#define DISTANCE
uniform vec3 referencePosition;
uniform float nearDistance;
uniform float farDistance;
varying vec3 vWorldPosition;
#include <common>
#include <packing>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <clipping_planes_pars_fragment>
void main () {
	vec4 diffuseColor = vec4( 1.0 );
	#include <clipping_planes_fragment>
	#include <map_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	float dist = length( vWorldPosition - referencePosition );
	dist = ( dist - nearDistance ) / ( farDistance - nearDistance );
	dist = saturate( dist );
	gl_FragColor = packDepthToRGBA( dist );
}`,q0=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
}`,j0=`uniform sampler2D tEquirect;
varying vec3 vWorldDirection;
#include <common>
void main() {
	vec3 direction = normalize( vWorldDirection );
	vec2 sampleUV = equirectUv( direction );
	gl_FragColor = texture2D( tEquirect, sampleUV );
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,K0=`uniform float scale;
attribute float lineDistance;
varying float vLineDistance;
#include <common>
#include <uv_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	vLineDistance = scale * lineDistance;
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <fog_vertex>
}`,Z0=`uniform vec3 diffuse;
uniform float opacity;
uniform float dashSize;
uniform float totalSize;
varying float vLineDistance;
#include <common>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	if ( mod( vLineDistance, totalSize ) > dashSize ) {
		discard;
	}
	vec3 outgoingLight = vec3( 0.0 );
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	outgoingLight = diffuseColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
}`,J0=`#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <envmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#if defined ( USE_ENVMAP ) || defined ( USE_SKINNING )
		#include <beginnormal_vertex>
		#include <morphnormal_vertex>
		#include <skinbase_vertex>
		#include <skinnormal_vertex>
		#include <defaultnormal_vertex>
	#endif
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <worldpos_vertex>
	#include <envmap_vertex>
	#include <fog_vertex>
}`,Q0=`uniform vec3 diffuse;
uniform float opacity;
#ifndef FLAT_SHADED
	varying vec3 vNormal;
#endif
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_pars_fragment>
#include <fog_pars_fragment>
#include <specularmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <specularmap_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	#ifdef USE_LIGHTMAP
		vec4 lightMapTexel = texture2D( lightMap, vLightMapUv );
		reflectedLight.indirectDiffuse += lightMapTexel.rgb * lightMapIntensity * RECIPROCAL_PI;
	#else
		reflectedLight.indirectDiffuse += vec3( 1.0 );
	#endif
	#include <aomap_fragment>
	reflectedLight.indirectDiffuse *= diffuseColor.rgb;
	vec3 outgoingLight = reflectedLight.indirectDiffuse;
	#include <envmap_fragment>
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,ev=`#define LAMBERT
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <envmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <envmap_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,tv=`#define LAMBERT
uniform vec3 diffuse;
uniform vec3 emissive;
uniform float opacity;
#include <common>
#include <packing>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_pars_fragment>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_lambert_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <specularmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <specularmap_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_lambert_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + totalEmissiveRadiance;
	#include <envmap_fragment>
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,nv=`#define MATCAP
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <color_pars_vertex>
#include <displacementmap_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <fog_vertex>
	vViewPosition = - mvPosition.xyz;
}`,iv=`#define MATCAP
uniform vec3 diffuse;
uniform float opacity;
uniform sampler2D matcap;
varying vec3 vViewPosition;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <fog_pars_fragment>
#include <normal_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	vec3 viewDir = normalize( vViewPosition );
	vec3 x = normalize( vec3( viewDir.z, 0.0, - viewDir.x ) );
	vec3 y = cross( viewDir, x );
	vec2 uv = vec2( dot( x, normal ), dot( y, normal ) ) * 0.495 + 0.5;
	#ifdef USE_MATCAP
		vec4 matcapColor = texture2D( matcap, uv );
	#else
		vec4 matcapColor = vec4( vec3( mix( 0.2, 0.8, uv.y ) ), 1.0 );
	#endif
	vec3 outgoingLight = diffuseColor.rgb * matcapColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,sv=`#define NORMAL
#if defined( FLAT_SHADED ) || defined( USE_BUMPMAP ) || defined( USE_NORMALMAP_TANGENTSPACE )
	varying vec3 vViewPosition;
#endif
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphinstance_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
#if defined( FLAT_SHADED ) || defined( USE_BUMPMAP ) || defined( USE_NORMALMAP_TANGENTSPACE )
	vViewPosition = - mvPosition.xyz;
#endif
}`,rv=`#define NORMAL
uniform float opacity;
#if defined( FLAT_SHADED ) || defined( USE_BUMPMAP ) || defined( USE_NORMALMAP_TANGENTSPACE )
	varying vec3 vViewPosition;
#endif
#include <packing>
#include <uv_pars_fragment>
#include <normal_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( 0.0, 0.0, 0.0, opacity );
	#include <clipping_planes_fragment>
	#include <logdepthbuf_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	gl_FragColor = vec4( packNormalToRGB( normal ), diffuseColor.a );
	#ifdef OPAQUE
		gl_FragColor.a = 1.0;
	#endif
}`,av=`#define PHONG
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <envmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphinstance_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <envmap_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,ov=`#define PHONG
uniform vec3 diffuse;
uniform vec3 emissive;
uniform vec3 specular;
uniform float shininess;
uniform float opacity;
#include <common>
#include <packing>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_pars_fragment>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_phong_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <specularmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <specularmap_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_phong_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + reflectedLight.directSpecular + reflectedLight.indirectSpecular + totalEmissiveRadiance;
	#include <envmap_fragment>
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,lv=`#define STANDARD
varying vec3 vViewPosition;
#ifdef USE_TRANSMISSION
	varying vec3 vWorldPosition;
#endif
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
#ifdef USE_TRANSMISSION
	vWorldPosition = worldPosition.xyz;
#endif
}`,cv=`#define STANDARD
#ifdef PHYSICAL
	#define IOR
	#define USE_SPECULAR
#endif
uniform vec3 diffuse;
uniform vec3 emissive;
uniform float roughness;
uniform float metalness;
uniform float opacity;
#ifdef IOR
	uniform float ior;
#endif
#ifdef USE_SPECULAR
	uniform float specularIntensity;
	uniform vec3 specularColor;
	#ifdef USE_SPECULAR_COLORMAP
		uniform sampler2D specularColorMap;
	#endif
	#ifdef USE_SPECULAR_INTENSITYMAP
		uniform sampler2D specularIntensityMap;
	#endif
#endif
#ifdef USE_CLEARCOAT
	uniform float clearcoat;
	uniform float clearcoatRoughness;
#endif
#ifdef USE_DISPERSION
	uniform float dispersion;
#endif
#ifdef USE_IRIDESCENCE
	uniform float iridescence;
	uniform float iridescenceIOR;
	uniform float iridescenceThicknessMinimum;
	uniform float iridescenceThicknessMaximum;
#endif
#ifdef USE_SHEEN
	uniform vec3 sheenColor;
	uniform float sheenRoughness;
	#ifdef USE_SHEEN_COLORMAP
		uniform sampler2D sheenColorMap;
	#endif
	#ifdef USE_SHEEN_ROUGHNESSMAP
		uniform sampler2D sheenRoughnessMap;
	#endif
#endif
#ifdef USE_ANISOTROPY
	uniform vec2 anisotropyVector;
	#ifdef USE_ANISOTROPYMAP
		uniform sampler2D anisotropyMap;
	#endif
#endif
varying vec3 vViewPosition;
#include <common>
#include <packing>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <iridescence_fragment>
#include <cube_uv_reflection_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_physical_pars_fragment>
#include <fog_pars_fragment>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_physical_pars_fragment>
#include <transmission_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <clearcoat_pars_fragment>
#include <iridescence_pars_fragment>
#include <roughnessmap_pars_fragment>
#include <metalnessmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <roughnessmap_fragment>
	#include <metalnessmap_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <clearcoat_normal_fragment_begin>
	#include <clearcoat_normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_physical_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 totalDiffuse = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse;
	vec3 totalSpecular = reflectedLight.directSpecular + reflectedLight.indirectSpecular;
	#include <transmission_fragment>
	vec3 outgoingLight = totalDiffuse + totalSpecular + totalEmissiveRadiance;
	#ifdef USE_SHEEN
		float sheenEnergyComp = 1.0 - 0.157 * max3( material.sheenColor );
		outgoingLight = outgoingLight * sheenEnergyComp + sheenSpecularDirect + sheenSpecularIndirect;
	#endif
	#ifdef USE_CLEARCOAT
		float dotNVcc = saturate( dot( geometryClearcoatNormal, geometryViewDir ) );
		vec3 Fcc = F_Schlick( material.clearcoatF0, material.clearcoatF90, dotNVcc );
		outgoingLight = outgoingLight * ( 1.0 - material.clearcoat * Fcc ) + ( clearcoatSpecularDirect + clearcoatSpecularIndirect ) * material.clearcoat;
	#endif
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,uv=`#define TOON
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,hv=`#define TOON
uniform vec3 diffuse;
uniform vec3 emissive;
uniform float opacity;
#include <common>
#include <packing>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <gradientmap_pars_fragment>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_toon_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_toon_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + totalEmissiveRadiance;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,fv=`uniform float size;
uniform float scale;
#include <common>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
#ifdef USE_POINTS_UV
	varying vec2 vUv;
	uniform mat3 uvTransform;
#endif
void main() {
	#ifdef USE_POINTS_UV
		vUv = ( uvTransform * vec3( uv, 1 ) ).xy;
	#endif
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <project_vertex>
	gl_PointSize = size;
	#ifdef USE_SIZEATTENUATION
		bool isPerspective = isPerspectiveMatrix( projectionMatrix );
		if ( isPerspective ) gl_PointSize *= ( scale / - mvPosition.z );
	#endif
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <worldpos_vertex>
	#include <fog_vertex>
}`,dv=`uniform vec3 diffuse;
uniform float opacity;
#include <common>
#include <color_pars_fragment>
#include <map_particle_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	vec3 outgoingLight = vec3( 0.0 );
	#include <logdepthbuf_fragment>
	#include <map_particle_fragment>
	#include <color_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	outgoingLight = diffuseColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
}`,pv=`#include <common>
#include <batching_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <shadowmap_pars_vertex>
void main() {
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphinstance_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <worldpos_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,mv=`uniform vec3 color;
uniform float opacity;
#include <common>
#include <packing>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <logdepthbuf_pars_fragment>
#include <shadowmap_pars_fragment>
#include <shadowmask_pars_fragment>
void main() {
	#include <logdepthbuf_fragment>
	gl_FragColor = vec4( color, opacity * ( 1.0 - getShadowMask() ) );
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
}`,gv=`uniform float rotation;
uniform vec2 center;
#include <common>
#include <uv_pars_vertex>
#include <fog_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	vec4 mvPosition = modelViewMatrix * vec4( 0.0, 0.0, 0.0, 1.0 );
	vec2 scale;
	scale.x = length( vec3( modelMatrix[ 0 ].x, modelMatrix[ 0 ].y, modelMatrix[ 0 ].z ) );
	scale.y = length( vec3( modelMatrix[ 1 ].x, modelMatrix[ 1 ].y, modelMatrix[ 1 ].z ) );
	#ifndef USE_SIZEATTENUATION
		bool isPerspective = isPerspectiveMatrix( projectionMatrix );
		if ( isPerspective ) scale *= - mvPosition.z;
	#endif
	vec2 alignedPosition = ( position.xy - ( center - vec2( 0.5 ) ) ) * scale;
	vec2 rotatedPosition;
	rotatedPosition.x = cos( rotation ) * alignedPosition.x - sin( rotation ) * alignedPosition.y;
	rotatedPosition.y = sin( rotation ) * alignedPosition.x + cos( rotation ) * alignedPosition.y;
	mvPosition.xy += rotatedPosition;
	gl_Position = projectionMatrix * mvPosition;
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <fog_vertex>
}`,_v=`uniform vec3 diffuse;
uniform float opacity;
#include <common>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	vec3 outgoingLight = vec3( 0.0 );
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	outgoingLight = diffuseColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
}`,st={alphahash_fragment:Bg,alphahash_pars_fragment:zg,alphamap_fragment:Hg,alphamap_pars_fragment:Vg,alphatest_fragment:Gg,alphatest_pars_fragment:Wg,aomap_fragment:$g,aomap_pars_fragment:Xg,batching_pars_vertex:Yg,batching_vertex:qg,begin_vertex:jg,beginnormal_vertex:Kg,bsdfs:Zg,iridescence_fragment:Jg,bumpmap_pars_fragment:Qg,clipping_planes_fragment:e_,clipping_planes_pars_fragment:t_,clipping_planes_pars_vertex:n_,clipping_planes_vertex:i_,color_fragment:s_,color_pars_fragment:r_,color_pars_vertex:a_,color_vertex:o_,common:l_,cube_uv_reflection_fragment:c_,defaultnormal_vertex:u_,displacementmap_pars_vertex:h_,displacementmap_vertex:f_,emissivemap_fragment:d_,emissivemap_pars_fragment:p_,colorspace_fragment:m_,colorspace_pars_fragment:g_,envmap_fragment:__,envmap_common_pars_fragment:v_,envmap_pars_fragment:x_,envmap_pars_vertex:M_,envmap_physical_pars_fragment:L_,envmap_vertex:S_,fog_vertex:y_,fog_pars_vertex:E_,fog_fragment:b_,fog_pars_fragment:w_,gradientmap_pars_fragment:T_,lightmap_pars_fragment:A_,lights_lambert_fragment:R_,lights_lambert_pars_fragment:C_,lights_pars_begin:P_,lights_toon_fragment:D_,lights_toon_pars_fragment:U_,lights_phong_fragment:I_,lights_phong_pars_fragment:N_,lights_physical_fragment:O_,lights_physical_pars_fragment:F_,lights_fragment_begin:k_,lights_fragment_maps:B_,lights_fragment_end:z_,logdepthbuf_fragment:H_,logdepthbuf_pars_fragment:V_,logdepthbuf_pars_vertex:G_,logdepthbuf_vertex:W_,map_fragment:$_,map_pars_fragment:X_,map_particle_fragment:Y_,map_particle_pars_fragment:q_,metalnessmap_fragment:j_,metalnessmap_pars_fragment:K_,morphinstance_vertex:Z_,morphcolor_vertex:J_,morphnormal_vertex:Q_,morphtarget_pars_vertex:e0,morphtarget_vertex:t0,normal_fragment_begin:n0,normal_fragment_maps:i0,normal_pars_fragment:s0,normal_pars_vertex:r0,normal_vertex:a0,normalmap_pars_fragment:o0,clearcoat_normal_fragment_begin:l0,clearcoat_normal_fragment_maps:c0,clearcoat_pars_fragment:u0,iridescence_pars_fragment:h0,opaque_fragment:f0,packing:d0,premultiplied_alpha_fragment:p0,project_vertex:m0,dithering_fragment:g0,dithering_pars_fragment:_0,roughnessmap_fragment:v0,roughnessmap_pars_fragment:x0,shadowmap_pars_fragment:M0,shadowmap_pars_vertex:S0,shadowmap_vertex:y0,shadowmask_pars_fragment:E0,skinbase_vertex:b0,skinning_pars_vertex:w0,skinning_vertex:T0,skinnormal_vertex:A0,specularmap_fragment:R0,specularmap_pars_fragment:C0,tonemapping_fragment:P0,tonemapping_pars_fragment:L0,transmission_fragment:D0,transmission_pars_fragment:U0,uv_pars_fragment:I0,uv_pars_vertex:N0,uv_vertex:O0,worldpos_vertex:F0,background_vert:k0,background_frag:B0,backgroundCube_vert:z0,backgroundCube_frag:H0,cube_vert:V0,cube_frag:G0,depth_vert:W0,depth_frag:$0,distanceRGBA_vert:X0,distanceRGBA_frag:Y0,equirect_vert:q0,equirect_frag:j0,linedashed_vert:K0,linedashed_frag:Z0,meshbasic_vert:J0,meshbasic_frag:Q0,meshlambert_vert:ev,meshlambert_frag:tv,meshmatcap_vert:nv,meshmatcap_frag:iv,meshnormal_vert:sv,meshnormal_frag:rv,meshphong_vert:av,meshphong_frag:ov,meshphysical_vert:lv,meshphysical_frag:cv,meshtoon_vert:uv,meshtoon_frag:hv,points_vert:fv,points_frag:dv,shadow_vert:pv,shadow_frag:mv,sprite_vert:gv,sprite_frag:_v},Ie={common:{diffuse:{value:new St(16777215)},opacity:{value:1},map:{value:null},mapTransform:{value:new rt},alphaMap:{value:null},alphaMapTransform:{value:new rt},alphaTest:{value:0}},specularmap:{specularMap:{value:null},specularMapTransform:{value:new rt}},envmap:{envMap:{value:null},envMapRotation:{value:new rt},flipEnvMap:{value:-1},reflectivity:{value:1},ior:{value:1.5},refractionRatio:{value:.98}},aomap:{aoMap:{value:null},aoMapIntensity:{value:1},aoMapTransform:{value:new rt}},lightmap:{lightMap:{value:null},lightMapIntensity:{value:1},lightMapTransform:{value:new rt}},bumpmap:{bumpMap:{value:null},bumpMapTransform:{value:new rt},bumpScale:{value:1}},normalmap:{normalMap:{value:null},normalMapTransform:{value:new rt},normalScale:{value:new ze(1,1)}},displacementmap:{displacementMap:{value:null},displacementMapTransform:{value:new rt},displacementScale:{value:1},displacementBias:{value:0}},emissivemap:{emissiveMap:{value:null},emissiveMapTransform:{value:new rt}},metalnessmap:{metalnessMap:{value:null},metalnessMapTransform:{value:new rt}},roughnessmap:{roughnessMap:{value:null},roughnessMapTransform:{value:new rt}},gradientmap:{gradientMap:{value:null}},fog:{fogDensity:{value:25e-5},fogNear:{value:1},fogFar:{value:2e3},fogColor:{value:new St(16777215)}},lights:{ambientLightColor:{value:[]},lightProbe:{value:[]},directionalLights:{value:[],properties:{direction:{},color:{}}},directionalLightShadows:{value:[],properties:{shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{}}},directionalShadowMap:{value:[]},directionalShadowMatrix:{value:[]},spotLights:{value:[],properties:{color:{},position:{},direction:{},distance:{},coneCos:{},penumbraCos:{},decay:{}}},spotLightShadows:{value:[],properties:{shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{}}},spotLightMap:{value:[]},spotShadowMap:{value:[]},spotLightMatrix:{value:[]},pointLights:{value:[],properties:{color:{},position:{},decay:{},distance:{}}},pointLightShadows:{value:[],properties:{shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{},shadowCameraNear:{},shadowCameraFar:{}}},pointShadowMap:{value:[]},pointShadowMatrix:{value:[]},hemisphereLights:{value:[],properties:{direction:{},skyColor:{},groundColor:{}}},rectAreaLights:{value:[],properties:{color:{},position:{},width:{},height:{}}},ltc_1:{value:null},ltc_2:{value:null}},points:{diffuse:{value:new St(16777215)},opacity:{value:1},size:{value:1},scale:{value:1},map:{value:null},alphaMap:{value:null},alphaMapTransform:{value:new rt},alphaTest:{value:0},uvTransform:{value:new rt}},sprite:{diffuse:{value:new St(16777215)},opacity:{value:1},center:{value:new ze(.5,.5)},rotation:{value:0},map:{value:null},mapTransform:{value:new rt},alphaMap:{value:null},alphaMapTransform:{value:new rt},alphaTest:{value:0}}},Mi={basic:{uniforms:En([Ie.common,Ie.specularmap,Ie.envmap,Ie.aomap,Ie.lightmap,Ie.fog]),vertexShader:st.meshbasic_vert,fragmentShader:st.meshbasic_frag},lambert:{uniforms:En([Ie.common,Ie.specularmap,Ie.envmap,Ie.aomap,Ie.lightmap,Ie.emissivemap,Ie.bumpmap,Ie.normalmap,Ie.displacementmap,Ie.fog,Ie.lights,{emissive:{value:new St(0)}}]),vertexShader:st.meshlambert_vert,fragmentShader:st.meshlambert_frag},phong:{uniforms:En([Ie.common,Ie.specularmap,Ie.envmap,Ie.aomap,Ie.lightmap,Ie.emissivemap,Ie.bumpmap,Ie.normalmap,Ie.displacementmap,Ie.fog,Ie.lights,{emissive:{value:new St(0)},specular:{value:new St(1118481)},shininess:{value:30}}]),vertexShader:st.meshphong_vert,fragmentShader:st.meshphong_frag},standard:{uniforms:En([Ie.common,Ie.envmap,Ie.aomap,Ie.lightmap,Ie.emissivemap,Ie.bumpmap,Ie.normalmap,Ie.displacementmap,Ie.roughnessmap,Ie.metalnessmap,Ie.fog,Ie.lights,{emissive:{value:new St(0)},roughness:{value:1},metalness:{value:0},envMapIntensity:{value:1}}]),vertexShader:st.meshphysical_vert,fragmentShader:st.meshphysical_frag},toon:{uniforms:En([Ie.common,Ie.aomap,Ie.lightmap,Ie.emissivemap,Ie.bumpmap,Ie.normalmap,Ie.displacementmap,Ie.gradientmap,Ie.fog,Ie.lights,{emissive:{value:new St(0)}}]),vertexShader:st.meshtoon_vert,fragmentShader:st.meshtoon_frag},matcap:{uniforms:En([Ie.common,Ie.bumpmap,Ie.normalmap,Ie.displacementmap,Ie.fog,{matcap:{value:null}}]),vertexShader:st.meshmatcap_vert,fragmentShader:st.meshmatcap_frag},points:{uniforms:En([Ie.points,Ie.fog]),vertexShader:st.points_vert,fragmentShader:st.points_frag},dashed:{uniforms:En([Ie.common,Ie.fog,{scale:{value:1},dashSize:{value:1},totalSize:{value:2}}]),vertexShader:st.linedashed_vert,fragmentShader:st.linedashed_frag},depth:{uniforms:En([Ie.common,Ie.displacementmap]),vertexShader:st.depth_vert,fragmentShader:st.depth_frag},normal:{uniforms:En([Ie.common,Ie.bumpmap,Ie.normalmap,Ie.displacementmap,{opacity:{value:1}}]),vertexShader:st.meshnormal_vert,fragmentShader:st.meshnormal_frag},sprite:{uniforms:En([Ie.sprite,Ie.fog]),vertexShader:st.sprite_vert,fragmentShader:st.sprite_frag},background:{uniforms:{uvTransform:{value:new rt},t2D:{value:null},backgroundIntensity:{value:1}},vertexShader:st.background_vert,fragmentShader:st.background_frag},backgroundCube:{uniforms:{envMap:{value:null},flipEnvMap:{value:-1},backgroundBlurriness:{value:0},backgroundIntensity:{value:1},backgroundRotation:{value:new rt}},vertexShader:st.backgroundCube_vert,fragmentShader:st.backgroundCube_frag},cube:{uniforms:{tCube:{value:null},tFlip:{value:-1},opacity:{value:1}},vertexShader:st.cube_vert,fragmentShader:st.cube_frag},equirect:{uniforms:{tEquirect:{value:null}},vertexShader:st.equirect_vert,fragmentShader:st.equirect_frag},distanceRGBA:{uniforms:En([Ie.common,Ie.displacementmap,{referencePosition:{value:new Y},nearDistance:{value:1},farDistance:{value:1e3}}]),vertexShader:st.distanceRGBA_vert,fragmentShader:st.distanceRGBA_frag},shadow:{uniforms:En([Ie.lights,Ie.fog,{color:{value:new St(0)},opacity:{value:1}}]),vertexShader:st.shadow_vert,fragmentShader:st.shadow_frag}};Mi.physical={uniforms:En([Mi.standard.uniforms,{clearcoat:{value:0},clearcoatMap:{value:null},clearcoatMapTransform:{value:new rt},clearcoatNormalMap:{value:null},clearcoatNormalMapTransform:{value:new rt},clearcoatNormalScale:{value:new ze(1,1)},clearcoatRoughness:{value:0},clearcoatRoughnessMap:{value:null},clearcoatRoughnessMapTransform:{value:new rt},dispersion:{value:0},iridescence:{value:0},iridescenceMap:{value:null},iridescenceMapTransform:{value:new rt},iridescenceIOR:{value:1.3},iridescenceThicknessMinimum:{value:100},iridescenceThicknessMaximum:{value:400},iridescenceThicknessMap:{value:null},iridescenceThicknessMapTransform:{value:new rt},sheen:{value:0},sheenColor:{value:new St(0)},sheenColorMap:{value:null},sheenColorMapTransform:{value:new rt},sheenRoughness:{value:1},sheenRoughnessMap:{value:null},sheenRoughnessMapTransform:{value:new rt},transmission:{value:0},transmissionMap:{value:null},transmissionMapTransform:{value:new rt},transmissionSamplerSize:{value:new ze},transmissionSamplerMap:{value:null},thickness:{value:0},thicknessMap:{value:null},thicknessMapTransform:{value:new rt},attenuationDistance:{value:0},attenuationColor:{value:new St(0)},specularColor:{value:new St(1,1,1)},specularColorMap:{value:null},specularColorMapTransform:{value:new rt},specularIntensity:{value:1},specularIntensityMap:{value:null},specularIntensityMapTransform:{value:new rt},anisotropyVector:{value:new ze},anisotropyMap:{value:null},anisotropyMapTransform:{value:new rt}}]),vertexShader:st.meshphysical_vert,fragmentShader:st.meshphysical_frag};const ka={r:0,b:0,g:0},ds=new Fi,vv=new zt;function xv(i,e,t,n,s,r,a){const o=new St(0);let l=r===!0?0:1,c,u,h=null,f=0,p=null;function _(y){let M=y.isScene===!0?y.background:null;return M&&M.isTexture&&(M=(y.backgroundBlurriness>0?t:e).get(M)),M}function x(y){let M=!1;const w=_(y);w===null?d(o,l):w&&w.isColor&&(d(w,1),M=!0);const V=i.xr.getEnvironmentBlendMode();V==="additive"?n.buffers.color.setClear(0,0,0,1,a):V==="alpha-blend"&&n.buffers.color.setClear(0,0,0,0,a),(i.autoClear||M)&&i.clear(i.autoClearColor,i.autoClearDepth,i.autoClearStencil)}function m(y,M){const w=_(M);w&&(w.isCubeTexture||w.mapping===ho)?(u===void 0&&(u=new Dn(new ua(1,1,1),new Ei({name:"BackgroundCubeMaterial",uniforms:yr(Mi.backgroundCube.uniforms),vertexShader:Mi.backgroundCube.vertexShader,fragmentShader:Mi.backgroundCube.fragmentShader,side:Un,depthTest:!1,depthWrite:!1,fog:!1})),u.geometry.deleteAttribute("normal"),u.geometry.deleteAttribute("uv"),u.onBeforeRender=function(V,T,C){this.matrixWorld.copyPosition(C.matrixWorld)},Object.defineProperty(u.material,"envMap",{get:function(){return this.uniforms.envMap.value}}),s.update(u)),ds.copy(M.backgroundRotation),ds.x*=-1,ds.y*=-1,ds.z*=-1,w.isCubeTexture&&w.isRenderTargetTexture===!1&&(ds.y*=-1,ds.z*=-1),u.material.uniforms.envMap.value=w,u.material.uniforms.flipEnvMap.value=w.isCubeTexture&&w.isRenderTargetTexture===!1?-1:1,u.material.uniforms.backgroundBlurriness.value=M.backgroundBlurriness,u.material.uniforms.backgroundIntensity.value=M.backgroundIntensity,u.material.uniforms.backgroundRotation.value.setFromMatrix4(vv.makeRotationFromEuler(ds)),u.material.toneMapped=vt.getTransfer(w.colorSpace)!==Pt,(h!==w||f!==w.version||p!==i.toneMapping)&&(u.material.needsUpdate=!0,h=w,f=w.version,p=i.toneMapping),u.layers.enableAll(),y.unshift(u,u.geometry,u.material,0,0,null)):w&&w.isTexture&&(c===void 0&&(c=new Dn(new go(2,2),new Ei({name:"BackgroundMaterial",uniforms:yr(Mi.background.uniforms),vertexShader:Mi.background.vertexShader,fragmentShader:Mi.background.fragmentShader,side:is,depthTest:!1,depthWrite:!1,fog:!1})),c.geometry.deleteAttribute("normal"),Object.defineProperty(c.material,"map",{get:function(){return this.uniforms.t2D.value}}),s.update(c)),c.material.uniforms.t2D.value=w,c.material.uniforms.backgroundIntensity.value=M.backgroundIntensity,c.material.toneMapped=vt.getTransfer(w.colorSpace)!==Pt,w.matrixAutoUpdate===!0&&w.updateMatrix(),c.material.uniforms.uvTransform.value.copy(w.matrix),(h!==w||f!==w.version||p!==i.toneMapping)&&(c.material.needsUpdate=!0,h=w,f=w.version,p=i.toneMapping),c.layers.enableAll(),y.unshift(c,c.geometry,c.material,0,0,null))}function d(y,M){y.getRGB(ka,xd(i)),n.buffers.color.setClear(ka.r,ka.g,ka.b,M,a)}return{getClearColor:function(){return o},setClearColor:function(y,M=1){o.set(y),l=M,d(o,l)},getClearAlpha:function(){return l},setClearAlpha:function(y){l=y,d(o,l)},render:x,addToRenderList:m}}function Mv(i,e){const t=i.getParameter(i.MAX_VERTEX_ATTRIBS),n={},s=f(null);let r=s,a=!1;function o(v,L,z,I,K){let q=!1;const te=h(I,z,L);r!==te&&(r=te,c(r.object)),q=p(v,I,z,K),q&&_(v,I,z,K),K!==null&&e.update(K,i.ELEMENT_ARRAY_BUFFER),(q||a)&&(a=!1,w(v,L,z,I),K!==null&&i.bindBuffer(i.ELEMENT_ARRAY_BUFFER,e.get(K).buffer))}function l(){return i.createVertexArray()}function c(v){return i.bindVertexArray(v)}function u(v){return i.deleteVertexArray(v)}function h(v,L,z){const I=z.wireframe===!0;let K=n[v.id];K===void 0&&(K={},n[v.id]=K);let q=K[L.id];q===void 0&&(q={},K[L.id]=q);let te=q[I];return te===void 0&&(te=f(l()),q[I]=te),te}function f(v){const L=[],z=[],I=[];for(let K=0;K<t;K++)L[K]=0,z[K]=0,I[K]=0;return{geometry:null,program:null,wireframe:!1,newAttributes:L,enabledAttributes:z,attributeDivisors:I,object:v,attributes:{},index:null}}function p(v,L,z,I){const K=r.attributes,q=L.attributes;let te=0;const ie=z.getAttributes();for(const ne in ie)if(ie[ne].location>=0){const G=K[ne];let ce=q[ne];if(ce===void 0&&(ne==="instanceMatrix"&&v.instanceMatrix&&(ce=v.instanceMatrix),ne==="instanceColor"&&v.instanceColor&&(ce=v.instanceColor)),G===void 0||G.attribute!==ce||ce&&G.data!==ce.data)return!0;te++}return r.attributesNum!==te||r.index!==I}function _(v,L,z,I){const K={},q=L.attributes;let te=0;const ie=z.getAttributes();for(const ne in ie)if(ie[ne].location>=0){let G=q[ne];G===void 0&&(ne==="instanceMatrix"&&v.instanceMatrix&&(G=v.instanceMatrix),ne==="instanceColor"&&v.instanceColor&&(G=v.instanceColor));const ce={};ce.attribute=G,G&&G.data&&(ce.data=G.data),K[ne]=ce,te++}r.attributes=K,r.attributesNum=te,r.index=I}function x(){const v=r.newAttributes;for(let L=0,z=v.length;L<z;L++)v[L]=0}function m(v){d(v,0)}function d(v,L){const z=r.newAttributes,I=r.enabledAttributes,K=r.attributeDivisors;z[v]=1,I[v]===0&&(i.enableVertexAttribArray(v),I[v]=1),K[v]!==L&&(i.vertexAttribDivisor(v,L),K[v]=L)}function y(){const v=r.newAttributes,L=r.enabledAttributes;for(let z=0,I=L.length;z<I;z++)L[z]!==v[z]&&(i.disableVertexAttribArray(z),L[z]=0)}function M(v,L,z,I,K,q,te){te===!0?i.vertexAttribIPointer(v,L,z,K,q):i.vertexAttribPointer(v,L,z,I,K,q)}function w(v,L,z,I){x();const K=I.attributes,q=z.getAttributes(),te=L.defaultAttributeValues;for(const ie in q){const ne=q[ie];if(ne.location>=0){let fe=K[ie];if(fe===void 0&&(ie==="instanceMatrix"&&v.instanceMatrix&&(fe=v.instanceMatrix),ie==="instanceColor"&&v.instanceColor&&(fe=v.instanceColor)),fe!==void 0){const G=fe.normalized,ce=fe.itemSize,O=e.get(fe);if(O===void 0)continue;const B=O.buffer,U=O.type,W=O.bytesPerElement,J=U===i.INT||U===i.UNSIGNED_INT||fe.gpuType===ad;if(fe.isInterleavedBufferAttribute){const Q=fe.data,j=Q.stride,X=fe.offset;if(Q.isInstancedInterleavedBuffer){for(let F=0;F<ne.locationSize;F++)d(ne.location+F,Q.meshPerAttribute);v.isInstancedMesh!==!0&&I._maxInstanceCount===void 0&&(I._maxInstanceCount=Q.meshPerAttribute*Q.count)}else for(let F=0;F<ne.locationSize;F++)m(ne.location+F);i.bindBuffer(i.ARRAY_BUFFER,B);for(let F=0;F<ne.locationSize;F++)M(ne.location+F,ce/ne.locationSize,U,G,j*W,(X+ce/ne.locationSize*F)*W,J)}else{if(fe.isInstancedBufferAttribute){for(let Q=0;Q<ne.locationSize;Q++)d(ne.location+Q,fe.meshPerAttribute);v.isInstancedMesh!==!0&&I._maxInstanceCount===void 0&&(I._maxInstanceCount=fe.meshPerAttribute*fe.count)}else for(let Q=0;Q<ne.locationSize;Q++)m(ne.location+Q);i.bindBuffer(i.ARRAY_BUFFER,B);for(let Q=0;Q<ne.locationSize;Q++)M(ne.location+Q,ce/ne.locationSize,U,G,ce*W,ce/ne.locationSize*Q*W,J)}}else if(te!==void 0){const G=te[ie];if(G!==void 0)switch(G.length){case 2:i.vertexAttrib2fv(ne.location,G);break;case 3:i.vertexAttrib3fv(ne.location,G);break;case 4:i.vertexAttrib4fv(ne.location,G);break;default:i.vertexAttrib1fv(ne.location,G)}}}}y()}function V(){N();for(const v in n){const L=n[v];for(const z in L){const I=L[z];for(const K in I)u(I[K].object),delete I[K];delete L[z]}delete n[v]}}function T(v){if(n[v.id]===void 0)return;const L=n[v.id];for(const z in L){const I=L[z];for(const K in I)u(I[K].object),delete I[K];delete L[z]}delete n[v.id]}function C(v){for(const L in n){const z=n[L];if(z[v.id]===void 0)continue;const I=z[v.id];for(const K in I)u(I[K].object),delete I[K];delete z[v.id]}}function N(){E(),a=!0,r!==s&&(r=s,c(r.object))}function E(){s.geometry=null,s.program=null,s.wireframe=!1}return{setup:o,reset:N,resetDefaultState:E,dispose:V,releaseStatesOfGeometry:T,releaseStatesOfProgram:C,initAttributes:x,enableAttribute:m,disableUnusedAttributes:y}}function Sv(i,e,t){let n;function s(c){n=c}function r(c,u){i.drawArrays(n,c,u),t.update(u,n,1)}function a(c,u,h){h!==0&&(i.drawArraysInstanced(n,c,u,h),t.update(u,n,h))}function o(c,u,h){if(h===0)return;const f=e.get("WEBGL_multi_draw");if(f===null)for(let p=0;p<h;p++)this.render(c[p],u[p]);else{f.multiDrawArraysWEBGL(n,c,0,u,0,h);let p=0;for(let _=0;_<h;_++)p+=u[_];t.update(p,n,1)}}function l(c,u,h,f){if(h===0)return;const p=e.get("WEBGL_multi_draw");if(p===null)for(let _=0;_<c.length;_++)a(c[_],u[_],f[_]);else{p.multiDrawArraysInstancedWEBGL(n,c,0,u,0,f,0,h);let _=0;for(let x=0;x<h;x++)_+=u[x];for(let x=0;x<f.length;x++)t.update(_,n,f[x])}}this.setMode=s,this.render=r,this.renderInstances=a,this.renderMultiDraw=o,this.renderMultiDrawInstances=l}function yv(i,e,t,n){let s;function r(){if(s!==void 0)return s;if(e.has("EXT_texture_filter_anisotropic")===!0){const T=e.get("EXT_texture_filter_anisotropic");s=i.getParameter(T.MAX_TEXTURE_MAX_ANISOTROPY_EXT)}else s=0;return s}function a(T){return!(T!==yi&&n.convert(T)!==i.getParameter(i.IMPLEMENTATION_COLOR_READ_FORMAT))}function o(T){const C=T===fo&&(e.has("EXT_color_buffer_half_float")||e.has("EXT_color_buffer_float"));return!(T!==ss&&n.convert(T)!==i.getParameter(i.IMPLEMENTATION_COLOR_READ_TYPE)&&T!==es&&!C)}function l(T){if(T==="highp"){if(i.getShaderPrecisionFormat(i.VERTEX_SHADER,i.HIGH_FLOAT).precision>0&&i.getShaderPrecisionFormat(i.FRAGMENT_SHADER,i.HIGH_FLOAT).precision>0)return"highp";T="mediump"}return T==="mediump"&&i.getShaderPrecisionFormat(i.VERTEX_SHADER,i.MEDIUM_FLOAT).precision>0&&i.getShaderPrecisionFormat(i.FRAGMENT_SHADER,i.MEDIUM_FLOAT).precision>0?"mediump":"lowp"}let c=t.precision!==void 0?t.precision:"highp";const u=l(c);u!==c&&(console.warn("THREE.WebGLRenderer:",c,"not supported, using",u,"instead."),c=u);const h=t.logarithmicDepthBuffer===!0,f=i.getParameter(i.MAX_TEXTURE_IMAGE_UNITS),p=i.getParameter(i.MAX_VERTEX_TEXTURE_IMAGE_UNITS),_=i.getParameter(i.MAX_TEXTURE_SIZE),x=i.getParameter(i.MAX_CUBE_MAP_TEXTURE_SIZE),m=i.getParameter(i.MAX_VERTEX_ATTRIBS),d=i.getParameter(i.MAX_VERTEX_UNIFORM_VECTORS),y=i.getParameter(i.MAX_VARYING_VECTORS),M=i.getParameter(i.MAX_FRAGMENT_UNIFORM_VECTORS),w=p>0,V=i.getParameter(i.MAX_SAMPLES);return{isWebGL2:!0,getMaxAnisotropy:r,getMaxPrecision:l,textureFormatReadable:a,textureTypeReadable:o,precision:c,logarithmicDepthBuffer:h,maxTextures:f,maxVertexTextures:p,maxTextureSize:_,maxCubemapSize:x,maxAttributes:m,maxVertexUniforms:d,maxVaryings:y,maxFragmentUniforms:M,vertexTextures:w,maxSamples:V}}function Ev(i){const e=this;let t=null,n=0,s=!1,r=!1;const a=new Zi,o=new rt,l={value:null,needsUpdate:!1};this.uniform=l,this.numPlanes=0,this.numIntersection=0,this.init=function(h,f){const p=h.length!==0||f||n!==0||s;return s=f,n=h.length,p},this.beginShadows=function(){r=!0,u(null)},this.endShadows=function(){r=!1},this.setGlobalState=function(h,f){t=u(h,f,0)},this.setState=function(h,f,p){const _=h.clippingPlanes,x=h.clipIntersection,m=h.clipShadows,d=i.get(h);if(!s||_===null||_.length===0||r&&!m)r?u(null):c();else{const y=r?0:n,M=y*4;let w=d.clippingState||null;l.value=w,w=u(_,f,M,p);for(let V=0;V!==M;++V)w[V]=t[V];d.clippingState=w,this.numIntersection=x?this.numPlanes:0,this.numPlanes+=y}};function c(){l.value!==t&&(l.value=t,l.needsUpdate=n>0),e.numPlanes=n,e.numIntersection=0}function u(h,f,p,_){const x=h!==null?h.length:0;let m=null;if(x!==0){if(m=l.value,_!==!0||m===null){const d=p+x*4,y=f.matrixWorldInverse;o.getNormalMatrix(y),(m===null||m.length<d)&&(m=new Float32Array(d));for(let M=0,w=p;M!==x;++M,w+=4)a.copy(h[M]).applyMatrix4(y,o),a.normal.toArray(m,w),m[w+3]=a.constant}l.value=m,l.needsUpdate=!0}return e.numPlanes=x,e.numIntersection=0,m}}function bv(i){let e=new WeakMap;function t(a,o){return o===$l?a.mapping=xr:o===Xl&&(a.mapping=Mr),a}function n(a){if(a&&a.isTexture){const o=a.mapping;if(o===$l||o===Xl)if(e.has(a)){const l=e.get(a).texture;return t(l,a.mapping)}else{const l=a.image;if(l&&l.height>0){const c=new Ng(l.height);return c.fromEquirectangularTexture(i,a),e.set(a,c),a.addEventListener("dispose",s),t(c.texture,a.mapping)}else return null}}return a}function s(a){const o=a.target;o.removeEventListener("dispose",s);const l=e.get(o);l!==void 0&&(e.delete(o),l.dispose())}function r(){e=new WeakMap}return{get:n,dispose:r}}class wv extends Md{constructor(e=-1,t=1,n=1,s=-1,r=.1,a=2e3){super(),this.isOrthographicCamera=!0,this.type="OrthographicCamera",this.zoom=1,this.view=null,this.left=e,this.right=t,this.top=n,this.bottom=s,this.near=r,this.far=a,this.updateProjectionMatrix()}copy(e,t){return super.copy(e,t),this.left=e.left,this.right=e.right,this.top=e.top,this.bottom=e.bottom,this.near=e.near,this.far=e.far,this.zoom=e.zoom,this.view=e.view===null?null:Object.assign({},e.view),this}setViewOffset(e,t,n,s,r,a){this.view===null&&(this.view={enabled:!0,fullWidth:1,fullHeight:1,offsetX:0,offsetY:0,width:1,height:1}),this.view.enabled=!0,this.view.fullWidth=e,this.view.fullHeight=t,this.view.offsetX=n,this.view.offsetY=s,this.view.width=r,this.view.height=a,this.updateProjectionMatrix()}clearViewOffset(){this.view!==null&&(this.view.enabled=!1),this.updateProjectionMatrix()}updateProjectionMatrix(){const e=(this.right-this.left)/(2*this.zoom),t=(this.top-this.bottom)/(2*this.zoom),n=(this.right+this.left)/2,s=(this.top+this.bottom)/2;let r=n-e,a=n+e,o=s+t,l=s-t;if(this.view!==null&&this.view.enabled){const c=(this.right-this.left)/this.view.fullWidth/this.zoom,u=(this.top-this.bottom)/this.view.fullHeight/this.zoom;r+=c*this.view.offsetX,a=r+c*this.view.width,o-=u*this.view.offsetY,l=o-u*this.view.height}this.projectionMatrix.makeOrthographic(r,a,o,l,this.near,this.far,this.coordinateSystem),this.projectionMatrixInverse.copy(this.projectionMatrix).invert()}toJSON(e){const t=super.toJSON(e);return t.object.zoom=this.zoom,t.object.left=this.left,t.object.right=this.right,t.object.top=this.top,t.object.bottom=this.bottom,t.object.near=this.near,t.object.far=this.far,this.view!==null&&(t.object.view=Object.assign({},this.view)),t}}const fr=4,ch=[.125,.215,.35,.446,.526,.582],Ms=20,ml=new wv,uh=new St;let gl=null,_l=0,vl=0,xl=!1;const ms=(1+Math.sqrt(5))/2,lr=1/ms,hh=[new Y(-ms,lr,0),new Y(ms,lr,0),new Y(-lr,0,ms),new Y(lr,0,ms),new Y(0,ms,-lr),new Y(0,ms,lr),new Y(-1,1,-1),new Y(1,1,-1),new Y(-1,1,1),new Y(1,1,1)];class fh{constructor(e){this._renderer=e,this._pingPongRenderTarget=null,this._lodMax=0,this._cubeSize=0,this._lodPlanes=[],this._sizeLods=[],this._sigmas=[],this._blurMaterial=null,this._cubemapMaterial=null,this._equirectMaterial=null,this._compileMaterial(this._blurMaterial)}fromScene(e,t=0,n=.1,s=100){gl=this._renderer.getRenderTarget(),_l=this._renderer.getActiveCubeFace(),vl=this._renderer.getActiveMipmapLevel(),xl=this._renderer.xr.enabled,this._renderer.xr.enabled=!1,this._setSize(256);const r=this._allocateTargets();return r.depthBuffer=!0,this._sceneToCubeUV(e,n,s,r),t>0&&this._blur(r,0,0,t),this._applyPMREM(r),this._cleanup(r),r}fromEquirectangular(e,t=null){return this._fromTexture(e,t)}fromCubemap(e,t=null){return this._fromTexture(e,t)}compileCubemapShader(){this._cubemapMaterial===null&&(this._cubemapMaterial=mh(),this._compileMaterial(this._cubemapMaterial))}compileEquirectangularShader(){this._equirectMaterial===null&&(this._equirectMaterial=ph(),this._compileMaterial(this._equirectMaterial))}dispose(){this._dispose(),this._cubemapMaterial!==null&&this._cubemapMaterial.dispose(),this._equirectMaterial!==null&&this._equirectMaterial.dispose()}_setSize(e){this._lodMax=Math.floor(Math.log2(e)),this._cubeSize=Math.pow(2,this._lodMax)}_dispose(){this._blurMaterial!==null&&this._blurMaterial.dispose(),this._pingPongRenderTarget!==null&&this._pingPongRenderTarget.dispose();for(let e=0;e<this._lodPlanes.length;e++)this._lodPlanes[e].dispose()}_cleanup(e){this._renderer.setRenderTarget(gl,_l,vl),this._renderer.xr.enabled=xl,e.scissorTest=!1,Ba(e,0,0,e.width,e.height)}_fromTexture(e,t){e.mapping===xr||e.mapping===Mr?this._setSize(e.image.length===0?16:e.image[0].width||e.image[0].image.width):this._setSize(e.image.width/4),gl=this._renderer.getRenderTarget(),_l=this._renderer.getActiveCubeFace(),vl=this._renderer.getActiveMipmapLevel(),xl=this._renderer.xr.enabled,this._renderer.xr.enabled=!1;const n=t||this._allocateTargets();return this._textureToCubeUV(e,n),this._applyPMREM(n),this._cleanup(n),n}_allocateTargets(){const e=3*Math.max(this._cubeSize,112),t=4*this._cubeSize,n={magFilter:hi,minFilter:hi,generateMipmaps:!1,type:fo,format:yi,colorSpace:ki,depthBuffer:!1},s=dh(e,t,n);if(this._pingPongRenderTarget===null||this._pingPongRenderTarget.width!==e||this._pingPongRenderTarget.height!==t){this._pingPongRenderTarget!==null&&this._dispose(),this._pingPongRenderTarget=dh(e,t,n);const{_lodMax:r}=this;({sizeLods:this._sizeLods,lodPlanes:this._lodPlanes,sigmas:this._sigmas}=Tv(r)),this._blurMaterial=Av(r,e,t)}return s}_compileMaterial(e){const t=new Dn(this._lodPlanes[0],e);this._renderer.compile(t,ml)}_sceneToCubeUV(e,t,n,s){const o=new Zn(90,1,t,n),l=[1,-1,1,1,1,1],c=[1,1,1,-1,-1,-1],u=this._renderer,h=u.autoClear,f=u.toneMapping;u.getClearColor(uh),u.toneMapping=ns,u.autoClear=!1;const p=new ro({name:"PMREM.Background",side:Un,depthWrite:!1,depthTest:!1}),_=new Dn(new ua,p);let x=!1;const m=e.background;m?m.isColor&&(p.color.copy(m),e.background=null,x=!0):(p.color.copy(uh),x=!0);for(let d=0;d<6;d++){const y=d%3;y===0?(o.up.set(0,l[d],0),o.lookAt(c[d],0,0)):y===1?(o.up.set(0,0,l[d]),o.lookAt(0,c[d],0)):(o.up.set(0,l[d],0),o.lookAt(0,0,c[d]));const M=this._cubeSize;Ba(s,y*M,d>2?M:0,M,M),u.setRenderTarget(s),x&&u.render(_,o),u.render(e,o)}_.geometry.dispose(),_.material.dispose(),u.toneMapping=f,u.autoClear=h,e.background=m}_textureToCubeUV(e,t){const n=this._renderer,s=e.mapping===xr||e.mapping===Mr;s?(this._cubemapMaterial===null&&(this._cubemapMaterial=mh()),this._cubemapMaterial.uniforms.flipEnvMap.value=e.isRenderTargetTexture===!1?-1:1):this._equirectMaterial===null&&(this._equirectMaterial=ph());const r=s?this._cubemapMaterial:this._equirectMaterial,a=new Dn(this._lodPlanes[0],r),o=r.uniforms;o.envMap.value=e;const l=this._cubeSize;Ba(t,0,0,3*l,2*l),n.setRenderTarget(t),n.render(a,ml)}_applyPMREM(e){const t=this._renderer,n=t.autoClear;t.autoClear=!1;const s=this._lodPlanes.length;for(let r=1;r<s;r++){const a=Math.sqrt(this._sigmas[r]*this._sigmas[r]-this._sigmas[r-1]*this._sigmas[r-1]),o=hh[(s-r-1)%hh.length];this._blur(e,r-1,r,a,o)}t.autoClear=n}_blur(e,t,n,s,r){const a=this._pingPongRenderTarget;this._halfBlur(e,a,t,n,s,"latitudinal",r),this._halfBlur(a,e,n,n,s,"longitudinal",r)}_halfBlur(e,t,n,s,r,a,o){const l=this._renderer,c=this._blurMaterial;a!=="latitudinal"&&a!=="longitudinal"&&console.error("blur direction must be either latitudinal or longitudinal!");const u=3,h=new Dn(this._lodPlanes[s],c),f=c.uniforms,p=this._sizeLods[n]-1,_=isFinite(r)?Math.PI/(2*p):2*Math.PI/(2*Ms-1),x=r/_,m=isFinite(r)?1+Math.floor(u*x):Ms;m>Ms&&console.warn(`sigmaRadians, ${r}, is too large and will clip, as it requested ${m} samples when the maximum is set to ${Ms}`);const d=[];let y=0;for(let C=0;C<Ms;++C){const N=C/x,E=Math.exp(-N*N/2);d.push(E),C===0?y+=E:C<m&&(y+=2*E)}for(let C=0;C<d.length;C++)d[C]=d[C]/y;f.envMap.value=e.texture,f.samples.value=m,f.weights.value=d,f.latitudinal.value=a==="latitudinal",o&&(f.poleAxis.value=o);const{_lodMax:M}=this;f.dTheta.value=_,f.mipInt.value=M-n;const w=this._sizeLods[s],V=3*w*(s>M-fr?s-M+fr:0),T=4*(this._cubeSize-w);Ba(t,V,T,3*w,2*w),l.setRenderTarget(t),l.render(h,ml)}}function Tv(i){const e=[],t=[],n=[];let s=i;const r=i-fr+1+ch.length;for(let a=0;a<r;a++){const o=Math.pow(2,s);t.push(o);let l=1/o;a>i-fr?l=ch[a-i+fr-1]:a===0&&(l=0),n.push(l);const c=1/(o-2),u=-c,h=1+c,f=[u,u,h,u,h,h,u,u,h,h,u,h],p=6,_=6,x=3,m=2,d=1,y=new Float32Array(x*_*p),M=new Float32Array(m*_*p),w=new Float32Array(d*_*p);for(let T=0;T<p;T++){const C=T%3*2/3-1,N=T>2?0:-1,E=[C,N,0,C+2/3,N,0,C+2/3,N+1,0,C,N,0,C+2/3,N+1,0,C,N+1,0];y.set(E,x*_*T),M.set(f,m*_*T);const v=[T,T,T,T,T,T];w.set(v,d*_*T)}const V=new di;V.setAttribute("position",new An(y,x)),V.setAttribute("uv",new An(M,m)),V.setAttribute("faceIndex",new An(w,d)),e.push(V),s>fr&&s--}return{lodPlanes:e,sizeLods:t,sigmas:n}}function dh(i,e,t){const n=new As(i,e,t);return n.texture.mapping=ho,n.texture.name="PMREM.cubeUv",n.scissorTest=!0,n}function Ba(i,e,t,n,s){i.viewport.set(e,t,n,s),i.scissor.set(e,t,n,s)}function Av(i,e,t){const n=new Float32Array(Ms),s=new Y(0,1,0);return new Ei({name:"SphericalGaussianBlur",defines:{n:Ms,CUBEUV_TEXEL_WIDTH:1/e,CUBEUV_TEXEL_HEIGHT:1/t,CUBEUV_MAX_MIP:`${i}.0`},uniforms:{envMap:{value:null},samples:{value:1},weights:{value:n},latitudinal:{value:!1},dTheta:{value:0},mipInt:{value:0},poleAxis:{value:s}},vertexShader:vc(),fragmentShader:`

			precision mediump float;
			precision mediump int;

			varying vec3 vOutputDirection;

			uniform sampler2D envMap;
			uniform int samples;
			uniform float weights[ n ];
			uniform bool latitudinal;
			uniform float dTheta;
			uniform float mipInt;
			uniform vec3 poleAxis;

			#define ENVMAP_TYPE_CUBE_UV
			#include <cube_uv_reflection_fragment>

			vec3 getSample( float theta, vec3 axis ) {

				float cosTheta = cos( theta );
				// Rodrigues' axis-angle rotation
				vec3 sampleDirection = vOutputDirection * cosTheta
					+ cross( axis, vOutputDirection ) * sin( theta )
					+ axis * dot( axis, vOutputDirection ) * ( 1.0 - cosTheta );

				return bilinearCubeUV( envMap, sampleDirection, mipInt );

			}

			void main() {

				vec3 axis = latitudinal ? poleAxis : cross( poleAxis, vOutputDirection );

				if ( all( equal( axis, vec3( 0.0 ) ) ) ) {

					axis = vec3( vOutputDirection.z, 0.0, - vOutputDirection.x );

				}

				axis = normalize( axis );

				gl_FragColor = vec4( 0.0, 0.0, 0.0, 1.0 );
				gl_FragColor.rgb += weights[ 0 ] * getSample( 0.0, axis );

				for ( int i = 1; i < n; i++ ) {

					if ( i >= samples ) {

						break;

					}

					float theta = dTheta * float( i );
					gl_FragColor.rgb += weights[ i ] * getSample( -1.0 * theta, axis );
					gl_FragColor.rgb += weights[ i ] * getSample( theta, axis );

				}

			}
		`,blending:ts,depthTest:!1,depthWrite:!1})}function ph(){return new Ei({name:"EquirectangularToCubeUV",uniforms:{envMap:{value:null}},vertexShader:vc(),fragmentShader:`

			precision mediump float;
			precision mediump int;

			varying vec3 vOutputDirection;

			uniform sampler2D envMap;

			#include <common>

			void main() {

				vec3 outputDirection = normalize( vOutputDirection );
				vec2 uv = equirectUv( outputDirection );

				gl_FragColor = vec4( texture2D ( envMap, uv ).rgb, 1.0 );

			}
		`,blending:ts,depthTest:!1,depthWrite:!1})}function mh(){return new Ei({name:"CubemapToCubeUV",uniforms:{envMap:{value:null},flipEnvMap:{value:-1}},vertexShader:vc(),fragmentShader:`

			precision mediump float;
			precision mediump int;

			uniform float flipEnvMap;

			varying vec3 vOutputDirection;

			uniform samplerCube envMap;

			void main() {

				gl_FragColor = textureCube( envMap, vec3( flipEnvMap * vOutputDirection.x, vOutputDirection.yz ) );

			}
		`,blending:ts,depthTest:!1,depthWrite:!1})}function vc(){return`

		precision mediump float;
		precision mediump int;

		attribute float faceIndex;

		varying vec3 vOutputDirection;

		// RH coordinate system; PMREM face-indexing convention
		vec3 getDirection( vec2 uv, float face ) {

			uv = 2.0 * uv - 1.0;

			vec3 direction = vec3( uv, 1.0 );

			if ( face == 0.0 ) {

				direction = direction.zyx; // ( 1, v, u ) pos x

			} else if ( face == 1.0 ) {

				direction = direction.xzy;
				direction.xz *= -1.0; // ( -u, 1, -v ) pos y

			} else if ( face == 2.0 ) {

				direction.x *= -1.0; // ( -u, v, 1 ) pos z

			} else if ( face == 3.0 ) {

				direction = direction.zyx;
				direction.xz *= -1.0; // ( -1, v, -u ) neg x

			} else if ( face == 4.0 ) {

				direction = direction.xzy;
				direction.xy *= -1.0; // ( -u, -1, v ) neg y

			} else if ( face == 5.0 ) {

				direction.z *= -1.0; // ( u, v, -1 ) neg z

			}

			return direction;

		}

		void main() {

			vOutputDirection = getDirection( uv, faceIndex );
			gl_Position = vec4( position, 1.0 );

		}
	`}function Rv(i){let e=new WeakMap,t=null;function n(o){if(o&&o.isTexture){const l=o.mapping,c=l===$l||l===Xl,u=l===xr||l===Mr;if(c||u){let h=e.get(o);const f=h!==void 0?h.texture.pmremVersion:0;if(o.isRenderTargetTexture&&o.pmremVersion!==f)return t===null&&(t=new fh(i)),h=c?t.fromEquirectangular(o,h):t.fromCubemap(o,h),h.texture.pmremVersion=o.pmremVersion,e.set(o,h),h.texture;if(h!==void 0)return h.texture;{const p=o.image;return c&&p&&p.height>0||u&&p&&s(p)?(t===null&&(t=new fh(i)),h=c?t.fromEquirectangular(o):t.fromCubemap(o),h.texture.pmremVersion=o.pmremVersion,e.set(o,h),o.addEventListener("dispose",r),h.texture):null}}}return o}function s(o){let l=0;const c=6;for(let u=0;u<c;u++)o[u]!==void 0&&l++;return l===c}function r(o){const l=o.target;l.removeEventListener("dispose",r);const c=e.get(l);c!==void 0&&(e.delete(l),c.dispose())}function a(){e=new WeakMap,t!==null&&(t.dispose(),t=null)}return{get:n,dispose:a}}function Cv(i){const e={};function t(n){if(e[n]!==void 0)return e[n];let s;switch(n){case"WEBGL_depth_texture":s=i.getExtension("WEBGL_depth_texture")||i.getExtension("MOZ_WEBGL_depth_texture")||i.getExtension("WEBKIT_WEBGL_depth_texture");break;case"EXT_texture_filter_anisotropic":s=i.getExtension("EXT_texture_filter_anisotropic")||i.getExtension("MOZ_EXT_texture_filter_anisotropic")||i.getExtension("WEBKIT_EXT_texture_filter_anisotropic");break;case"WEBGL_compressed_texture_s3tc":s=i.getExtension("WEBGL_compressed_texture_s3tc")||i.getExtension("MOZ_WEBGL_compressed_texture_s3tc")||i.getExtension("WEBKIT_WEBGL_compressed_texture_s3tc");break;case"WEBGL_compressed_texture_pvrtc":s=i.getExtension("WEBGL_compressed_texture_pvrtc")||i.getExtension("WEBKIT_WEBGL_compressed_texture_pvrtc");break;default:s=i.getExtension(n)}return e[n]=s,s}return{has:function(n){return t(n)!==null},init:function(){t("EXT_color_buffer_float"),t("WEBGL_clip_cull_distance"),t("OES_texture_float_linear"),t("EXT_color_buffer_half_float"),t("WEBGL_multisampled_render_to_texture"),t("WEBGL_render_shared_exponent")},get:function(n){const s=t(n);return s===null&&console.warn("THREE.WebGLRenderer: "+n+" extension not supported."),s}}}function Pv(i,e,t,n){const s={},r=new WeakMap;function a(h){const f=h.target;f.index!==null&&e.remove(f.index);for(const _ in f.attributes)e.remove(f.attributes[_]);for(const _ in f.morphAttributes){const x=f.morphAttributes[_];for(let m=0,d=x.length;m<d;m++)e.remove(x[m])}f.removeEventListener("dispose",a),delete s[f.id];const p=r.get(f);p&&(e.remove(p),r.delete(f)),n.releaseStatesOfGeometry(f),f.isInstancedBufferGeometry===!0&&delete f._maxInstanceCount,t.memory.geometries--}function o(h,f){return s[f.id]===!0||(f.addEventListener("dispose",a),s[f.id]=!0,t.memory.geometries++),f}function l(h){const f=h.attributes;for(const _ in f)e.update(f[_],i.ARRAY_BUFFER);const p=h.morphAttributes;for(const _ in p){const x=p[_];for(let m=0,d=x.length;m<d;m++)e.update(x[m],i.ARRAY_BUFFER)}}function c(h){const f=[],p=h.index,_=h.attributes.position;let x=0;if(p!==null){const y=p.array;x=p.version;for(let M=0,w=y.length;M<w;M+=3){const V=y[M+0],T=y[M+1],C=y[M+2];f.push(V,T,T,C,C,V)}}else if(_!==void 0){const y=_.array;x=_.version;for(let M=0,w=y.length/3-1;M<w;M+=3){const V=M+0,T=M+1,C=M+2;f.push(V,T,T,C,C,V)}}else return;const m=new(dd(f)?vd:_d)(f,1);m.version=x;const d=r.get(h);d&&e.remove(d),r.set(h,m)}function u(h){const f=r.get(h);if(f){const p=h.index;p!==null&&f.version<p.version&&c(h)}else c(h);return r.get(h)}return{get:o,update:l,getWireframeAttribute:u}}function Lv(i,e,t){let n;function s(f){n=f}let r,a;function o(f){r=f.type,a=f.bytesPerElement}function l(f,p){i.drawElements(n,p,r,f*a),t.update(p,n,1)}function c(f,p,_){_!==0&&(i.drawElementsInstanced(n,p,r,f*a,_),t.update(p,n,_))}function u(f,p,_){if(_===0)return;const x=e.get("WEBGL_multi_draw");if(x===null)for(let m=0;m<_;m++)this.render(f[m]/a,p[m]);else{x.multiDrawElementsWEBGL(n,p,0,r,f,0,_);let m=0;for(let d=0;d<_;d++)m+=p[d];t.update(m,n,1)}}function h(f,p,_,x){if(_===0)return;const m=e.get("WEBGL_multi_draw");if(m===null)for(let d=0;d<f.length;d++)c(f[d]/a,p[d],x[d]);else{m.multiDrawElementsInstancedWEBGL(n,p,0,r,f,0,x,0,_);let d=0;for(let y=0;y<_;y++)d+=p[y];for(let y=0;y<x.length;y++)t.update(d,n,x[y])}}this.setMode=s,this.setIndex=o,this.render=l,this.renderInstances=c,this.renderMultiDraw=u,this.renderMultiDrawInstances=h}function Dv(i){const e={geometries:0,textures:0},t={frame:0,calls:0,triangles:0,points:0,lines:0};function n(r,a,o){switch(t.calls++,a){case i.TRIANGLES:t.triangles+=o*(r/3);break;case i.LINES:t.lines+=o*(r/2);break;case i.LINE_STRIP:t.lines+=o*(r-1);break;case i.LINE_LOOP:t.lines+=o*r;break;case i.POINTS:t.points+=o*r;break;default:console.error("THREE.WebGLInfo: Unknown draw mode:",a);break}}function s(){t.calls=0,t.triangles=0,t.points=0,t.lines=0}return{memory:e,render:t,programs:null,autoReset:!0,reset:s,update:n}}function Uv(i,e,t){const n=new WeakMap,s=new fn;function r(a,o,l){const c=a.morphTargetInfluences,u=o.morphAttributes.position||o.morphAttributes.normal||o.morphAttributes.color,h=u!==void 0?u.length:0;let f=n.get(o);if(f===void 0||f.count!==h){let v=function(){N.dispose(),n.delete(o),o.removeEventListener("dispose",v)};var p=v;f!==void 0&&f.texture.dispose();const _=o.morphAttributes.position!==void 0,x=o.morphAttributes.normal!==void 0,m=o.morphAttributes.color!==void 0,d=o.morphAttributes.position||[],y=o.morphAttributes.normal||[],M=o.morphAttributes.color||[];let w=0;_===!0&&(w=1),x===!0&&(w=2),m===!0&&(w=3);let V=o.attributes.position.count*w,T=1;V>e.maxTextureSize&&(T=Math.ceil(V/e.maxTextureSize),V=e.maxTextureSize);const C=new Float32Array(V*T*4*h),N=new md(C,V,T,h);N.type=es,N.needsUpdate=!0;const E=w*4;for(let L=0;L<h;L++){const z=d[L],I=y[L],K=M[L],q=V*T*4*L;for(let te=0;te<z.count;te++){const ie=te*E;_===!0&&(s.fromBufferAttribute(z,te),C[q+ie+0]=s.x,C[q+ie+1]=s.y,C[q+ie+2]=s.z,C[q+ie+3]=0),x===!0&&(s.fromBufferAttribute(I,te),C[q+ie+4]=s.x,C[q+ie+5]=s.y,C[q+ie+6]=s.z,C[q+ie+7]=0),m===!0&&(s.fromBufferAttribute(K,te),C[q+ie+8]=s.x,C[q+ie+9]=s.y,C[q+ie+10]=s.z,C[q+ie+11]=K.itemSize===4?s.w:1)}}f={count:h,texture:N,size:new ze(V,T)},n.set(o,f),o.addEventListener("dispose",v)}if(a.isInstancedMesh===!0&&a.morphTexture!==null)l.getUniforms().setValue(i,"morphTexture",a.morphTexture,t);else{let _=0;for(let m=0;m<c.length;m++)_+=c[m];const x=o.morphTargetsRelative?1:1-_;l.getUniforms().setValue(i,"morphTargetBaseInfluence",x),l.getUniforms().setValue(i,"morphTargetInfluences",c)}l.getUniforms().setValue(i,"morphTargetsTexture",f.texture,t),l.getUniforms().setValue(i,"morphTargetsTextureSize",f.size)}return{update:r}}function Iv(i,e,t,n){let s=new WeakMap;function r(l){const c=n.render.frame,u=l.geometry,h=e.get(l,u);if(s.get(h)!==c&&(e.update(h),s.set(h,c)),l.isInstancedMesh&&(l.hasEventListener("dispose",o)===!1&&l.addEventListener("dispose",o),s.get(l)!==c&&(t.update(l.instanceMatrix,i.ARRAY_BUFFER),l.instanceColor!==null&&t.update(l.instanceColor,i.ARRAY_BUFFER),s.set(l,c))),l.isSkinnedMesh){const f=l.skeleton;s.get(f)!==c&&(f.update(),s.set(f,c))}return h}function a(){s=new WeakMap}function o(l){const c=l.target;c.removeEventListener("dispose",o),t.remove(c.instanceMatrix),c.instanceColor!==null&&t.remove(c.instanceColor)}return{update:r,dispose:a}}class bd extends Tn{constructor(e,t,n,s,r,a,o,l,c,u){if(u=u!==void 0?u:mr,u!==mr&&u!==ta)throw new Error("DepthTexture format must be either THREE.DepthFormat or THREE.DepthStencilFormat");n===void 0&&u===mr&&(n=Sr),n===void 0&&u===ta&&(n=oa),super(null,s,r,a,o,l,u,n,c),this.isDepthTexture=!0,this.image={width:e,height:t},this.magFilter=o!==void 0?o:Ln,this.minFilter=l!==void 0?l:Ln,this.flipY=!1,this.generateMipmaps=!1,this.compareFunction=null}copy(e){return super.copy(e),this.compareFunction=e.compareFunction,this}toJSON(e){const t=super.toJSON(e);return this.compareFunction!==null&&(t.compareFunction=this.compareFunction),t}}const wd=new Tn,Td=new bd(1,1);Td.compareFunction=fd;const Ad=new md,Rd=new xg,Cd=new Sd,gh=[],_h=[],vh=new Float32Array(16),xh=new Float32Array(9),Mh=new Float32Array(4);function Ar(i,e,t){const n=i[0];if(n<=0||n>0)return i;const s=e*t;let r=gh[s];if(r===void 0&&(r=new Float32Array(s),gh[s]=r),e!==0){n.toArray(r,0);for(let a=1,o=0;a!==e;++a)o+=t,i[a].toArray(r,o)}return r}function Jt(i,e){if(i.length!==e.length)return!1;for(let t=0,n=i.length;t<n;t++)if(i[t]!==e[t])return!1;return!0}function Qt(i,e){for(let t=0,n=e.length;t<n;t++)i[t]=e[t]}function _o(i,e){let t=_h[e];t===void 0&&(t=new Int32Array(e),_h[e]=t);for(let n=0;n!==e;++n)t[n]=i.allocateTextureUnit();return t}function Nv(i,e){const t=this.cache;t[0]!==e&&(i.uniform1f(this.addr,e),t[0]=e)}function Ov(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y)&&(i.uniform2f(this.addr,e.x,e.y),t[0]=e.x,t[1]=e.y);else{if(Jt(t,e))return;i.uniform2fv(this.addr,e),Qt(t,e)}}function Fv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z)&&(i.uniform3f(this.addr,e.x,e.y,e.z),t[0]=e.x,t[1]=e.y,t[2]=e.z);else if(e.r!==void 0)(t[0]!==e.r||t[1]!==e.g||t[2]!==e.b)&&(i.uniform3f(this.addr,e.r,e.g,e.b),t[0]=e.r,t[1]=e.g,t[2]=e.b);else{if(Jt(t,e))return;i.uniform3fv(this.addr,e),Qt(t,e)}}function kv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z||t[3]!==e.w)&&(i.uniform4f(this.addr,e.x,e.y,e.z,e.w),t[0]=e.x,t[1]=e.y,t[2]=e.z,t[3]=e.w);else{if(Jt(t,e))return;i.uniform4fv(this.addr,e),Qt(t,e)}}function Bv(i,e){const t=this.cache,n=e.elements;if(n===void 0){if(Jt(t,e))return;i.uniformMatrix2fv(this.addr,!1,e),Qt(t,e)}else{if(Jt(t,n))return;Mh.set(n),i.uniformMatrix2fv(this.addr,!1,Mh),Qt(t,n)}}function zv(i,e){const t=this.cache,n=e.elements;if(n===void 0){if(Jt(t,e))return;i.uniformMatrix3fv(this.addr,!1,e),Qt(t,e)}else{if(Jt(t,n))return;xh.set(n),i.uniformMatrix3fv(this.addr,!1,xh),Qt(t,n)}}function Hv(i,e){const t=this.cache,n=e.elements;if(n===void 0){if(Jt(t,e))return;i.uniformMatrix4fv(this.addr,!1,e),Qt(t,e)}else{if(Jt(t,n))return;vh.set(n),i.uniformMatrix4fv(this.addr,!1,vh),Qt(t,n)}}function Vv(i,e){const t=this.cache;t[0]!==e&&(i.uniform1i(this.addr,e),t[0]=e)}function Gv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y)&&(i.uniform2i(this.addr,e.x,e.y),t[0]=e.x,t[1]=e.y);else{if(Jt(t,e))return;i.uniform2iv(this.addr,e),Qt(t,e)}}function Wv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z)&&(i.uniform3i(this.addr,e.x,e.y,e.z),t[0]=e.x,t[1]=e.y,t[2]=e.z);else{if(Jt(t,e))return;i.uniform3iv(this.addr,e),Qt(t,e)}}function $v(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z||t[3]!==e.w)&&(i.uniform4i(this.addr,e.x,e.y,e.z,e.w),t[0]=e.x,t[1]=e.y,t[2]=e.z,t[3]=e.w);else{if(Jt(t,e))return;i.uniform4iv(this.addr,e),Qt(t,e)}}function Xv(i,e){const t=this.cache;t[0]!==e&&(i.uniform1ui(this.addr,e),t[0]=e)}function Yv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y)&&(i.uniform2ui(this.addr,e.x,e.y),t[0]=e.x,t[1]=e.y);else{if(Jt(t,e))return;i.uniform2uiv(this.addr,e),Qt(t,e)}}function qv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z)&&(i.uniform3ui(this.addr,e.x,e.y,e.z),t[0]=e.x,t[1]=e.y,t[2]=e.z);else{if(Jt(t,e))return;i.uniform3uiv(this.addr,e),Qt(t,e)}}function jv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z||t[3]!==e.w)&&(i.uniform4ui(this.addr,e.x,e.y,e.z,e.w),t[0]=e.x,t[1]=e.y,t[2]=e.z,t[3]=e.w);else{if(Jt(t,e))return;i.uniform4uiv(this.addr,e),Qt(t,e)}}function Kv(i,e,t){const n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s);const r=this.type===i.SAMPLER_2D_SHADOW?Td:wd;t.setTexture2D(e||r,s)}function Zv(i,e,t){const n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s),t.setTexture3D(e||Rd,s)}function Jv(i,e,t){const n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s),t.setTextureCube(e||Cd,s)}function Qv(i,e,t){const n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s),t.setTexture2DArray(e||Ad,s)}function ex(i){switch(i){case 5126:return Nv;case 35664:return Ov;case 35665:return Fv;case 35666:return kv;case 35674:return Bv;case 35675:return zv;case 35676:return Hv;case 5124:case 35670:return Vv;case 35667:case 35671:return Gv;case 35668:case 35672:return Wv;case 35669:case 35673:return $v;case 5125:return Xv;case 36294:return Yv;case 36295:return qv;case 36296:return jv;case 35678:case 36198:case 36298:case 36306:case 35682:return Kv;case 35679:case 36299:case 36307:return Zv;case 35680:case 36300:case 36308:case 36293:return Jv;case 36289:case 36303:case 36311:case 36292:return Qv}}function tx(i,e){i.uniform1fv(this.addr,e)}function nx(i,e){const t=Ar(e,this.size,2);i.uniform2fv(this.addr,t)}function ix(i,e){const t=Ar(e,this.size,3);i.uniform3fv(this.addr,t)}function sx(i,e){const t=Ar(e,this.size,4);i.uniform4fv(this.addr,t)}function rx(i,e){const t=Ar(e,this.size,4);i.uniformMatrix2fv(this.addr,!1,t)}function ax(i,e){const t=Ar(e,this.size,9);i.uniformMatrix3fv(this.addr,!1,t)}function ox(i,e){const t=Ar(e,this.size,16);i.uniformMatrix4fv(this.addr,!1,t)}function lx(i,e){i.uniform1iv(this.addr,e)}function cx(i,e){i.uniform2iv(this.addr,e)}function ux(i,e){i.uniform3iv(this.addr,e)}function hx(i,e){i.uniform4iv(this.addr,e)}function fx(i,e){i.uniform1uiv(this.addr,e)}function dx(i,e){i.uniform2uiv(this.addr,e)}function px(i,e){i.uniform3uiv(this.addr,e)}function mx(i,e){i.uniform4uiv(this.addr,e)}function gx(i,e,t){const n=this.cache,s=e.length,r=_o(t,s);Jt(n,r)||(i.uniform1iv(this.addr,r),Qt(n,r));for(let a=0;a!==s;++a)t.setTexture2D(e[a]||wd,r[a])}function _x(i,e,t){const n=this.cache,s=e.length,r=_o(t,s);Jt(n,r)||(i.uniform1iv(this.addr,r),Qt(n,r));for(let a=0;a!==s;++a)t.setTexture3D(e[a]||Rd,r[a])}function vx(i,e,t){const n=this.cache,s=e.length,r=_o(t,s);Jt(n,r)||(i.uniform1iv(this.addr,r),Qt(n,r));for(let a=0;a!==s;++a)t.setTextureCube(e[a]||Cd,r[a])}function xx(i,e,t){const n=this.cache,s=e.length,r=_o(t,s);Jt(n,r)||(i.uniform1iv(this.addr,r),Qt(n,r));for(let a=0;a!==s;++a)t.setTexture2DArray(e[a]||Ad,r[a])}function Mx(i){switch(i){case 5126:return tx;case 35664:return nx;case 35665:return ix;case 35666:return sx;case 35674:return rx;case 35675:return ax;case 35676:return ox;case 5124:case 35670:return lx;case 35667:case 35671:return cx;case 35668:case 35672:return ux;case 35669:case 35673:return hx;case 5125:return fx;case 36294:return dx;case 36295:return px;case 36296:return mx;case 35678:case 36198:case 36298:case 36306:case 35682:return gx;case 35679:case 36299:case 36307:return _x;case 35680:case 36300:case 36308:case 36293:return vx;case 36289:case 36303:case 36311:case 36292:return xx}}class Sx{constructor(e,t,n){this.id=e,this.addr=n,this.cache=[],this.type=t.type,this.setValue=ex(t.type)}}class yx{constructor(e,t,n){this.id=e,this.addr=n,this.cache=[],this.type=t.type,this.size=t.size,this.setValue=Mx(t.type)}}class Ex{constructor(e){this.id=e,this.seq=[],this.map={}}setValue(e,t,n){const s=this.seq;for(let r=0,a=s.length;r!==a;++r){const o=s[r];o.setValue(e,t[o.id],n)}}}const Ml=/(\w+)(\])?(\[|\.)?/g;function Sh(i,e){i.seq.push(e),i.map[e.id]=e}function bx(i,e,t){const n=i.name,s=n.length;for(Ml.lastIndex=0;;){const r=Ml.exec(n),a=Ml.lastIndex;let o=r[1];const l=r[2]==="]",c=r[3];if(l&&(o=o|0),c===void 0||c==="["&&a+2===s){Sh(t,c===void 0?new Sx(o,i,e):new yx(o,i,e));break}else{let h=t.map[o];h===void 0&&(h=new Ex(o),Sh(t,h)),t=h}}}class qa{constructor(e,t){this.seq=[],this.map={};const n=e.getProgramParameter(t,e.ACTIVE_UNIFORMS);for(let s=0;s<n;++s){const r=e.getActiveUniform(t,s),a=e.getUniformLocation(t,r.name);bx(r,a,this)}}setValue(e,t,n,s){const r=this.map[t];r!==void 0&&r.setValue(e,n,s)}setOptional(e,t,n){const s=t[n];s!==void 0&&this.setValue(e,n,s)}static upload(e,t,n,s){for(let r=0,a=t.length;r!==a;++r){const o=t[r],l=n[o.id];l.needsUpdate!==!1&&o.setValue(e,l.value,s)}}static seqWithValue(e,t){const n=[];for(let s=0,r=e.length;s!==r;++s){const a=e[s];a.id in t&&n.push(a)}return n}}function yh(i,e,t){const n=i.createShader(e);return i.shaderSource(n,t),i.compileShader(n),n}const wx=37297;let Tx=0;function Ax(i,e){const t=i.split(`
`),n=[],s=Math.max(e-6,0),r=Math.min(e+6,t.length);for(let a=s;a<r;a++){const o=a+1;n.push(`${o===e?">":" "} ${o}: ${t[a]}`)}return n.join(`
`)}function Rx(i){const e=vt.getPrimaries(vt.workingColorSpace),t=vt.getPrimaries(i);let n;switch(e===t?n="":e===no&&t===to?n="LinearDisplayP3ToLinearSRGB":e===to&&t===no&&(n="LinearSRGBToLinearDisplayP3"),i){case ki:case po:return[n,"LinearTransferOETF"];case xi:case pc:return[n,"sRGBTransferOETF"];default:return console.warn("THREE.WebGLProgram: Unsupported color space:",i),[n,"LinearTransferOETF"]}}function Eh(i,e,t){const n=i.getShaderParameter(e,i.COMPILE_STATUS),s=i.getShaderInfoLog(e).trim();if(n&&s==="")return"";const r=/ERROR: 0:(\d+)/.exec(s);if(r){const a=parseInt(r[1]);return t.toUpperCase()+`

`+s+`

`+Ax(i.getShaderSource(e),a)}else return s}function Cx(i,e){const t=Rx(e);return`vec4 ${i}( vec4 value ) { return ${t[0]}( ${t[1]}( value ) ); }`}function Px(i,e){let t;switch(e){case Im:t="Linear";break;case Nm:t="Reinhard";break;case Om:t="OptimizedCineon";break;case Fm:t="ACESFilmic";break;case Bm:t="AgX";break;case zm:t="Neutral";break;case km:t="Custom";break;default:console.warn("THREE.WebGLProgram: Unsupported toneMapping:",e),t="Linear"}return"vec3 "+i+"( vec3 color ) { return "+t+"ToneMapping( color ); }"}function Lx(i){return[i.extensionClipCullDistance?"#extension GL_ANGLE_clip_cull_distance : require":"",i.extensionMultiDraw?"#extension GL_ANGLE_multi_draw : require":""].filter(Xr).join(`
`)}function Dx(i){const e=[];for(const t in i){const n=i[t];n!==!1&&e.push("#define "+t+" "+n)}return e.join(`
`)}function Ux(i,e){const t={},n=i.getProgramParameter(e,i.ACTIVE_ATTRIBUTES);for(let s=0;s<n;s++){const r=i.getActiveAttrib(e,s),a=r.name;let o=1;r.type===i.FLOAT_MAT2&&(o=2),r.type===i.FLOAT_MAT3&&(o=3),r.type===i.FLOAT_MAT4&&(o=4),t[a]={type:r.type,location:i.getAttribLocation(e,a),locationSize:o}}return t}function Xr(i){return i!==""}function bh(i,e){const t=e.numSpotLightShadows+e.numSpotLightMaps-e.numSpotLightShadowsWithMaps;return i.replace(/NUM_DIR_LIGHTS/g,e.numDirLights).replace(/NUM_SPOT_LIGHTS/g,e.numSpotLights).replace(/NUM_SPOT_LIGHT_MAPS/g,e.numSpotLightMaps).replace(/NUM_SPOT_LIGHT_COORDS/g,t).replace(/NUM_RECT_AREA_LIGHTS/g,e.numRectAreaLights).replace(/NUM_POINT_LIGHTS/g,e.numPointLights).replace(/NUM_HEMI_LIGHTS/g,e.numHemiLights).replace(/NUM_DIR_LIGHT_SHADOWS/g,e.numDirLightShadows).replace(/NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS/g,e.numSpotLightShadowsWithMaps).replace(/NUM_SPOT_LIGHT_SHADOWS/g,e.numSpotLightShadows).replace(/NUM_POINT_LIGHT_SHADOWS/g,e.numPointLightShadows)}function wh(i,e){return i.replace(/NUM_CLIPPING_PLANES/g,e.numClippingPlanes).replace(/UNION_CLIPPING_PLANES/g,e.numClippingPlanes-e.numClipIntersection)}const Ix=/^[ \t]*#include +<([\w\d./]+)>/gm;function Kl(i){return i.replace(Ix,Ox)}const Nx=new Map;function Ox(i,e){let t=st[e];if(t===void 0){const n=Nx.get(e);if(n!==void 0)t=st[n],console.warn('THREE.WebGLRenderer: Shader chunk "%s" has been deprecated. Use "%s" instead.',e,n);else throw new Error("Can not resolve #include <"+e+">")}return Kl(t)}const Fx=/#pragma unroll_loop_start\s+for\s*\(\s*int\s+i\s*=\s*(\d+)\s*;\s*i\s*<\s*(\d+)\s*;\s*i\s*\+\+\s*\)\s*{([\s\S]+?)}\s+#pragma unroll_loop_end/g;function Th(i){return i.replace(Fx,kx)}function kx(i,e,t,n){let s="";for(let r=parseInt(e);r<parseInt(t);r++)s+=n.replace(/\[\s*i\s*\]/g,"[ "+r+" ]").replace(/UNROLLED_LOOP_INDEX/g,r);return s}function Ah(i){let e=`precision ${i.precision} float;
	precision ${i.precision} int;
	precision ${i.precision} sampler2D;
	precision ${i.precision} samplerCube;
	precision ${i.precision} sampler3D;
	precision ${i.precision} sampler2DArray;
	precision ${i.precision} sampler2DShadow;
	precision ${i.precision} samplerCubeShadow;
	precision ${i.precision} sampler2DArrayShadow;
	precision ${i.precision} isampler2D;
	precision ${i.precision} isampler3D;
	precision ${i.precision} isamplerCube;
	precision ${i.precision} isampler2DArray;
	precision ${i.precision} usampler2D;
	precision ${i.precision} usampler3D;
	precision ${i.precision} usamplerCube;
	precision ${i.precision} usampler2DArray;
	`;return i.precision==="highp"?e+=`
#define HIGH_PRECISION`:i.precision==="mediump"?e+=`
#define MEDIUM_PRECISION`:i.precision==="lowp"&&(e+=`
#define LOW_PRECISION`),e}function Bx(i){let e="SHADOWMAP_TYPE_BASIC";return i.shadowMapType===nd?e="SHADOWMAP_TYPE_PCF":i.shadowMapType===am?e="SHADOWMAP_TYPE_PCF_SOFT":i.shadowMapType===Di&&(e="SHADOWMAP_TYPE_VSM"),e}function zx(i){let e="ENVMAP_TYPE_CUBE";if(i.envMap)switch(i.envMapMode){case xr:case Mr:e="ENVMAP_TYPE_CUBE";break;case ho:e="ENVMAP_TYPE_CUBE_UV";break}return e}function Hx(i){let e="ENVMAP_MODE_REFLECTION";if(i.envMap)switch(i.envMapMode){case Mr:e="ENVMAP_MODE_REFRACTION";break}return e}function Vx(i){let e="ENVMAP_BLENDING_NONE";if(i.envMap)switch(i.combine){case id:e="ENVMAP_BLENDING_MULTIPLY";break;case Dm:e="ENVMAP_BLENDING_MIX";break;case Um:e="ENVMAP_BLENDING_ADD";break}return e}function Gx(i){const e=i.envMapCubeUVHeight;if(e===null)return null;const t=Math.log2(e)-2,n=1/e;return{texelWidth:1/(3*Math.max(Math.pow(2,t),7*16)),texelHeight:n,maxMip:t}}function Wx(i,e,t,n){const s=i.getContext(),r=t.defines;let a=t.vertexShader,o=t.fragmentShader;const l=Bx(t),c=zx(t),u=Hx(t),h=Vx(t),f=Gx(t),p=Lx(t),_=Dx(r),x=s.createProgram();let m,d,y=t.glslVersion?"#version "+t.glslVersion+`
`:"";t.isRawShaderMaterial?(m=["#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,_].filter(Xr).join(`
`),m.length>0&&(m+=`
`),d=["#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,_].filter(Xr).join(`
`),d.length>0&&(d+=`
`)):(m=[Ah(t),"#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,_,t.extensionClipCullDistance?"#define USE_CLIP_DISTANCE":"",t.batching?"#define USE_BATCHING":"",t.instancing?"#define USE_INSTANCING":"",t.instancingColor?"#define USE_INSTANCING_COLOR":"",t.instancingMorph?"#define USE_INSTANCING_MORPH":"",t.useFog&&t.fog?"#define USE_FOG":"",t.useFog&&t.fogExp2?"#define FOG_EXP2":"",t.map?"#define USE_MAP":"",t.envMap?"#define USE_ENVMAP":"",t.envMap?"#define "+u:"",t.lightMap?"#define USE_LIGHTMAP":"",t.aoMap?"#define USE_AOMAP":"",t.bumpMap?"#define USE_BUMPMAP":"",t.normalMap?"#define USE_NORMALMAP":"",t.normalMapObjectSpace?"#define USE_NORMALMAP_OBJECTSPACE":"",t.normalMapTangentSpace?"#define USE_NORMALMAP_TANGENTSPACE":"",t.displacementMap?"#define USE_DISPLACEMENTMAP":"",t.emissiveMap?"#define USE_EMISSIVEMAP":"",t.anisotropy?"#define USE_ANISOTROPY":"",t.anisotropyMap?"#define USE_ANISOTROPYMAP":"",t.clearcoatMap?"#define USE_CLEARCOATMAP":"",t.clearcoatRoughnessMap?"#define USE_CLEARCOAT_ROUGHNESSMAP":"",t.clearcoatNormalMap?"#define USE_CLEARCOAT_NORMALMAP":"",t.iridescenceMap?"#define USE_IRIDESCENCEMAP":"",t.iridescenceThicknessMap?"#define USE_IRIDESCENCE_THICKNESSMAP":"",t.specularMap?"#define USE_SPECULARMAP":"",t.specularColorMap?"#define USE_SPECULAR_COLORMAP":"",t.specularIntensityMap?"#define USE_SPECULAR_INTENSITYMAP":"",t.roughnessMap?"#define USE_ROUGHNESSMAP":"",t.metalnessMap?"#define USE_METALNESSMAP":"",t.alphaMap?"#define USE_ALPHAMAP":"",t.alphaHash?"#define USE_ALPHAHASH":"",t.transmission?"#define USE_TRANSMISSION":"",t.transmissionMap?"#define USE_TRANSMISSIONMAP":"",t.thicknessMap?"#define USE_THICKNESSMAP":"",t.sheenColorMap?"#define USE_SHEEN_COLORMAP":"",t.sheenRoughnessMap?"#define USE_SHEEN_ROUGHNESSMAP":"",t.mapUv?"#define MAP_UV "+t.mapUv:"",t.alphaMapUv?"#define ALPHAMAP_UV "+t.alphaMapUv:"",t.lightMapUv?"#define LIGHTMAP_UV "+t.lightMapUv:"",t.aoMapUv?"#define AOMAP_UV "+t.aoMapUv:"",t.emissiveMapUv?"#define EMISSIVEMAP_UV "+t.emissiveMapUv:"",t.bumpMapUv?"#define BUMPMAP_UV "+t.bumpMapUv:"",t.normalMapUv?"#define NORMALMAP_UV "+t.normalMapUv:"",t.displacementMapUv?"#define DISPLACEMENTMAP_UV "+t.displacementMapUv:"",t.metalnessMapUv?"#define METALNESSMAP_UV "+t.metalnessMapUv:"",t.roughnessMapUv?"#define ROUGHNESSMAP_UV "+t.roughnessMapUv:"",t.anisotropyMapUv?"#define ANISOTROPYMAP_UV "+t.anisotropyMapUv:"",t.clearcoatMapUv?"#define CLEARCOATMAP_UV "+t.clearcoatMapUv:"",t.clearcoatNormalMapUv?"#define CLEARCOAT_NORMALMAP_UV "+t.clearcoatNormalMapUv:"",t.clearcoatRoughnessMapUv?"#define CLEARCOAT_ROUGHNESSMAP_UV "+t.clearcoatRoughnessMapUv:"",t.iridescenceMapUv?"#define IRIDESCENCEMAP_UV "+t.iridescenceMapUv:"",t.iridescenceThicknessMapUv?"#define IRIDESCENCE_THICKNESSMAP_UV "+t.iridescenceThicknessMapUv:"",t.sheenColorMapUv?"#define SHEEN_COLORMAP_UV "+t.sheenColorMapUv:"",t.sheenRoughnessMapUv?"#define SHEEN_ROUGHNESSMAP_UV "+t.sheenRoughnessMapUv:"",t.specularMapUv?"#define SPECULARMAP_UV "+t.specularMapUv:"",t.specularColorMapUv?"#define SPECULAR_COLORMAP_UV "+t.specularColorMapUv:"",t.specularIntensityMapUv?"#define SPECULAR_INTENSITYMAP_UV "+t.specularIntensityMapUv:"",t.transmissionMapUv?"#define TRANSMISSIONMAP_UV "+t.transmissionMapUv:"",t.thicknessMapUv?"#define THICKNESSMAP_UV "+t.thicknessMapUv:"",t.vertexTangents&&t.flatShading===!1?"#define USE_TANGENT":"",t.vertexColors?"#define USE_COLOR":"",t.vertexAlphas?"#define USE_COLOR_ALPHA":"",t.vertexUv1s?"#define USE_UV1":"",t.vertexUv2s?"#define USE_UV2":"",t.vertexUv3s?"#define USE_UV3":"",t.pointsUvs?"#define USE_POINTS_UV":"",t.flatShading?"#define FLAT_SHADED":"",t.skinning?"#define USE_SKINNING":"",t.morphTargets?"#define USE_MORPHTARGETS":"",t.morphNormals&&t.flatShading===!1?"#define USE_MORPHNORMALS":"",t.morphColors?"#define USE_MORPHCOLORS":"",t.morphTargetsCount>0?"#define MORPHTARGETS_TEXTURE":"",t.morphTargetsCount>0?"#define MORPHTARGETS_TEXTURE_STRIDE "+t.morphTextureStride:"",t.morphTargetsCount>0?"#define MORPHTARGETS_COUNT "+t.morphTargetsCount:"",t.doubleSided?"#define DOUBLE_SIDED":"",t.flipSided?"#define FLIP_SIDED":"",t.shadowMapEnabled?"#define USE_SHADOWMAP":"",t.shadowMapEnabled?"#define "+l:"",t.sizeAttenuation?"#define USE_SIZEATTENUATION":"",t.numLightProbes>0?"#define USE_LIGHT_PROBES":"",t.useLegacyLights?"#define LEGACY_LIGHTS":"",t.logarithmicDepthBuffer?"#define USE_LOGDEPTHBUF":"","uniform mat4 modelMatrix;","uniform mat4 modelViewMatrix;","uniform mat4 projectionMatrix;","uniform mat4 viewMatrix;","uniform mat3 normalMatrix;","uniform vec3 cameraPosition;","uniform bool isOrthographic;","#ifdef USE_INSTANCING","	attribute mat4 instanceMatrix;","#endif","#ifdef USE_INSTANCING_COLOR","	attribute vec3 instanceColor;","#endif","#ifdef USE_INSTANCING_MORPH","	uniform sampler2D morphTexture;","#endif","attribute vec3 position;","attribute vec3 normal;","attribute vec2 uv;","#ifdef USE_UV1","	attribute vec2 uv1;","#endif","#ifdef USE_UV2","	attribute vec2 uv2;","#endif","#ifdef USE_UV3","	attribute vec2 uv3;","#endif","#ifdef USE_TANGENT","	attribute vec4 tangent;","#endif","#if defined( USE_COLOR_ALPHA )","	attribute vec4 color;","#elif defined( USE_COLOR )","	attribute vec3 color;","#endif","#if ( defined( USE_MORPHTARGETS ) && ! defined( MORPHTARGETS_TEXTURE ) )","	attribute vec3 morphTarget0;","	attribute vec3 morphTarget1;","	attribute vec3 morphTarget2;","	attribute vec3 morphTarget3;","	#ifdef USE_MORPHNORMALS","		attribute vec3 morphNormal0;","		attribute vec3 morphNormal1;","		attribute vec3 morphNormal2;","		attribute vec3 morphNormal3;","	#else","		attribute vec3 morphTarget4;","		attribute vec3 morphTarget5;","		attribute vec3 morphTarget6;","		attribute vec3 morphTarget7;","	#endif","#endif","#ifdef USE_SKINNING","	attribute vec4 skinIndex;","	attribute vec4 skinWeight;","#endif",`
`].filter(Xr).join(`
`),d=[Ah(t),"#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,_,t.useFog&&t.fog?"#define USE_FOG":"",t.useFog&&t.fogExp2?"#define FOG_EXP2":"",t.alphaToCoverage?"#define ALPHA_TO_COVERAGE":"",t.map?"#define USE_MAP":"",t.matcap?"#define USE_MATCAP":"",t.envMap?"#define USE_ENVMAP":"",t.envMap?"#define "+c:"",t.envMap?"#define "+u:"",t.envMap?"#define "+h:"",f?"#define CUBEUV_TEXEL_WIDTH "+f.texelWidth:"",f?"#define CUBEUV_TEXEL_HEIGHT "+f.texelHeight:"",f?"#define CUBEUV_MAX_MIP "+f.maxMip+".0":"",t.lightMap?"#define USE_LIGHTMAP":"",t.aoMap?"#define USE_AOMAP":"",t.bumpMap?"#define USE_BUMPMAP":"",t.normalMap?"#define USE_NORMALMAP":"",t.normalMapObjectSpace?"#define USE_NORMALMAP_OBJECTSPACE":"",t.normalMapTangentSpace?"#define USE_NORMALMAP_TANGENTSPACE":"",t.emissiveMap?"#define USE_EMISSIVEMAP":"",t.anisotropy?"#define USE_ANISOTROPY":"",t.anisotropyMap?"#define USE_ANISOTROPYMAP":"",t.clearcoat?"#define USE_CLEARCOAT":"",t.clearcoatMap?"#define USE_CLEARCOATMAP":"",t.clearcoatRoughnessMap?"#define USE_CLEARCOAT_ROUGHNESSMAP":"",t.clearcoatNormalMap?"#define USE_CLEARCOAT_NORMALMAP":"",t.dispersion?"#define USE_DISPERSION":"",t.iridescence?"#define USE_IRIDESCENCE":"",t.iridescenceMap?"#define USE_IRIDESCENCEMAP":"",t.iridescenceThicknessMap?"#define USE_IRIDESCENCE_THICKNESSMAP":"",t.specularMap?"#define USE_SPECULARMAP":"",t.specularColorMap?"#define USE_SPECULAR_COLORMAP":"",t.specularIntensityMap?"#define USE_SPECULAR_INTENSITYMAP":"",t.roughnessMap?"#define USE_ROUGHNESSMAP":"",t.metalnessMap?"#define USE_METALNESSMAP":"",t.alphaMap?"#define USE_ALPHAMAP":"",t.alphaTest?"#define USE_ALPHATEST":"",t.alphaHash?"#define USE_ALPHAHASH":"",t.sheen?"#define USE_SHEEN":"",t.sheenColorMap?"#define USE_SHEEN_COLORMAP":"",t.sheenRoughnessMap?"#define USE_SHEEN_ROUGHNESSMAP":"",t.transmission?"#define USE_TRANSMISSION":"",t.transmissionMap?"#define USE_TRANSMISSIONMAP":"",t.thicknessMap?"#define USE_THICKNESSMAP":"",t.vertexTangents&&t.flatShading===!1?"#define USE_TANGENT":"",t.vertexColors||t.instancingColor?"#define USE_COLOR":"",t.vertexAlphas?"#define USE_COLOR_ALPHA":"",t.vertexUv1s?"#define USE_UV1":"",t.vertexUv2s?"#define USE_UV2":"",t.vertexUv3s?"#define USE_UV3":"",t.pointsUvs?"#define USE_POINTS_UV":"",t.gradientMap?"#define USE_GRADIENTMAP":"",t.flatShading?"#define FLAT_SHADED":"",t.doubleSided?"#define DOUBLE_SIDED":"",t.flipSided?"#define FLIP_SIDED":"",t.shadowMapEnabled?"#define USE_SHADOWMAP":"",t.shadowMapEnabled?"#define "+l:"",t.premultipliedAlpha?"#define PREMULTIPLIED_ALPHA":"",t.numLightProbes>0?"#define USE_LIGHT_PROBES":"",t.useLegacyLights?"#define LEGACY_LIGHTS":"",t.decodeVideoTexture?"#define DECODE_VIDEO_TEXTURE":"",t.logarithmicDepthBuffer?"#define USE_LOGDEPTHBUF":"","uniform mat4 viewMatrix;","uniform vec3 cameraPosition;","uniform bool isOrthographic;",t.toneMapping!==ns?"#define TONE_MAPPING":"",t.toneMapping!==ns?st.tonemapping_pars_fragment:"",t.toneMapping!==ns?Px("toneMapping",t.toneMapping):"",t.dithering?"#define DITHERING":"",t.opaque?"#define OPAQUE":"",st.colorspace_pars_fragment,Cx("linearToOutputTexel",t.outputColorSpace),t.useDepthPacking?"#define DEPTH_PACKING "+t.depthPacking:"",`
`].filter(Xr).join(`
`)),a=Kl(a),a=bh(a,t),a=wh(a,t),o=Kl(o),o=bh(o,t),o=wh(o,t),a=Th(a),o=Th(o),t.isRawShaderMaterial!==!0&&(y=`#version 300 es
`,m=[p,"#define attribute in","#define varying out","#define texture2D texture"].join(`
`)+`
`+m,d=["#define varying in",t.glslVersion===Gu?"":"layout(location = 0) out highp vec4 pc_fragColor;",t.glslVersion===Gu?"":"#define gl_FragColor pc_fragColor","#define gl_FragDepthEXT gl_FragDepth","#define texture2D texture","#define textureCube texture","#define texture2DProj textureProj","#define texture2DLodEXT textureLod","#define texture2DProjLodEXT textureProjLod","#define textureCubeLodEXT textureLod","#define texture2DGradEXT textureGrad","#define texture2DProjGradEXT textureProjGrad","#define textureCubeGradEXT textureGrad"].join(`
`)+`
`+d);const M=y+m+a,w=y+d+o,V=yh(s,s.VERTEX_SHADER,M),T=yh(s,s.FRAGMENT_SHADER,w);s.attachShader(x,V),s.attachShader(x,T),t.index0AttributeName!==void 0?s.bindAttribLocation(x,0,t.index0AttributeName):t.morphTargets===!0&&s.bindAttribLocation(x,0,"position"),s.linkProgram(x);function C(L){if(i.debug.checkShaderErrors){const z=s.getProgramInfoLog(x).trim(),I=s.getShaderInfoLog(V).trim(),K=s.getShaderInfoLog(T).trim();let q=!0,te=!0;if(s.getProgramParameter(x,s.LINK_STATUS)===!1)if(q=!1,typeof i.debug.onShaderError=="function")i.debug.onShaderError(s,x,V,T);else{const ie=Eh(s,V,"vertex"),ne=Eh(s,T,"fragment");console.error("THREE.WebGLProgram: Shader Error "+s.getError()+" - VALIDATE_STATUS "+s.getProgramParameter(x,s.VALIDATE_STATUS)+`

Material Name: `+L.name+`
Material Type: `+L.type+`

Program Info Log: `+z+`
`+ie+`
`+ne)}else z!==""?console.warn("THREE.WebGLProgram: Program Info Log:",z):(I===""||K==="")&&(te=!1);te&&(L.diagnostics={runnable:q,programLog:z,vertexShader:{log:I,prefix:m},fragmentShader:{log:K,prefix:d}})}s.deleteShader(V),s.deleteShader(T),N=new qa(s,x),E=Ux(s,x)}let N;this.getUniforms=function(){return N===void 0&&C(this),N};let E;this.getAttributes=function(){return E===void 0&&C(this),E};let v=t.rendererExtensionParallelShaderCompile===!1;return this.isReady=function(){return v===!1&&(v=s.getProgramParameter(x,wx)),v},this.destroy=function(){n.releaseStatesOfProgram(this),s.deleteProgram(x),this.program=void 0},this.type=t.shaderType,this.name=t.shaderName,this.id=Tx++,this.cacheKey=e,this.usedTimes=1,this.program=x,this.vertexShader=V,this.fragmentShader=T,this}let $x=0;class Xx{constructor(){this.shaderCache=new Map,this.materialCache=new Map}update(e){const t=e.vertexShader,n=e.fragmentShader,s=this._getShaderStage(t),r=this._getShaderStage(n),a=this._getShaderCacheForMaterial(e);return a.has(s)===!1&&(a.add(s),s.usedTimes++),a.has(r)===!1&&(a.add(r),r.usedTimes++),this}remove(e){const t=this.materialCache.get(e);for(const n of t)n.usedTimes--,n.usedTimes===0&&this.shaderCache.delete(n.code);return this.materialCache.delete(e),this}getVertexShaderID(e){return this._getShaderStage(e.vertexShader).id}getFragmentShaderID(e){return this._getShaderStage(e.fragmentShader).id}dispose(){this.shaderCache.clear(),this.materialCache.clear()}_getShaderCacheForMaterial(e){const t=this.materialCache;let n=t.get(e);return n===void 0&&(n=new Set,t.set(e,n)),n}_getShaderStage(e){const t=this.shaderCache;let n=t.get(e);return n===void 0&&(n=new Yx(e),t.set(e,n)),n}}class Yx{constructor(e){this.id=$x++,this.code=e,this.usedTimes=0}}function qx(i,e,t,n,s,r,a){const o=new _c,l=new Xx,c=new Set,u=[],h=s.logarithmicDepthBuffer,f=s.vertexTextures;let p=s.precision;const _={MeshDepthMaterial:"depth",MeshDistanceMaterial:"distanceRGBA",MeshNormalMaterial:"normal",MeshBasicMaterial:"basic",MeshLambertMaterial:"lambert",MeshPhongMaterial:"phong",MeshToonMaterial:"toon",MeshStandardMaterial:"physical",MeshPhysicalMaterial:"physical",MeshMatcapMaterial:"matcap",LineBasicMaterial:"basic",LineDashedMaterial:"dashed",PointsMaterial:"points",ShadowMaterial:"shadow",SpriteMaterial:"sprite"};function x(E){return c.add(E),E===0?"uv":`uv${E}`}function m(E,v,L,z,I){const K=z.fog,q=I.geometry,te=E.isMeshStandardMaterial?z.environment:null,ie=(E.isMeshStandardMaterial?t:e).get(E.envMap||te),ne=ie&&ie.mapping===ho?ie.image.height:null,fe=_[E.type];E.precision!==null&&(p=s.getMaxPrecision(E.precision),p!==E.precision&&console.warn("THREE.WebGLProgram.getParameters:",E.precision,"not supported, using",p,"instead."));const G=q.morphAttributes.position||q.morphAttributes.normal||q.morphAttributes.color,ce=G!==void 0?G.length:0;let O=0;q.morphAttributes.position!==void 0&&(O=1),q.morphAttributes.normal!==void 0&&(O=2),q.morphAttributes.color!==void 0&&(O=3);let B,U,W,J;if(fe){const lt=Mi[fe];B=lt.vertexShader,U=lt.fragmentShader}else B=E.vertexShader,U=E.fragmentShader,l.update(E),W=l.getVertexShaderID(E),J=l.getFragmentShaderID(E);const Q=i.getRenderTarget(),j=I.isInstancedMesh===!0,X=I.isBatchedMesh===!0,F=!!E.map,pe=!!E.matcap,de=!!ie,Ee=!!E.aoMap,xe=!!E.lightMap,we=!!E.bumpMap,Re=!!E.normalMap,Ge=!!E.displacementMap,ht=!!E.emissiveMap,H=!!E.metalnessMap,R=!!E.roughnessMap,oe=E.anisotropy>0,ge=E.clearcoat>0,Me=E.dispersion>0,he=E.iridescence>0,me=E.sheen>0,Se=E.transmission>0,be=oe&&!!E.anisotropyMap,Ye=ge&&!!E.clearcoatMap,Ae=ge&&!!E.clearcoatNormalMap,ke=ge&&!!E.clearcoatRoughnessMap,et=he&&!!E.iridescenceMap,Be=he&&!!E.iridescenceThicknessMap,Le=me&&!!E.sheenColorMap,Ve=me&&!!E.sheenRoughnessMap,qe=!!E.specularMap,ft=!!E.specularColorMap,Je=!!E.specularIntensityMap,S=Se&&!!E.transmissionMap,Z=Se&&!!E.thicknessMap,re=!!E.gradientMap,ve=!!E.alphaMap,Pe=E.alphaTest>0,tt=!!E.alphaHash,it=!!E.extensions;let bt=ns;E.toneMapped&&(Q===null||Q.isXRRenderTarget===!0)&&(bt=i.toneMapping);const Ht={shaderID:fe,shaderType:E.type,shaderName:E.name,vertexShader:B,fragmentShader:U,defines:E.defines,customVertexShaderID:W,customFragmentShaderID:J,isRawShaderMaterial:E.isRawShaderMaterial===!0,glslVersion:E.glslVersion,precision:p,batching:X,instancing:j,instancingColor:j&&I.instanceColor!==null,instancingMorph:j&&I.morphTexture!==null,supportsVertexTextures:f,outputColorSpace:Q===null?i.outputColorSpace:Q.isXRRenderTarget===!0?Q.texture.colorSpace:ki,alphaToCoverage:!!E.alphaToCoverage,map:F,matcap:pe,envMap:de,envMapMode:de&&ie.mapping,envMapCubeUVHeight:ne,aoMap:Ee,lightMap:xe,bumpMap:we,normalMap:Re,displacementMap:f&&Ge,emissiveMap:ht,normalMapObjectSpace:Re&&E.normalMapType===tg,normalMapTangentSpace:Re&&E.normalMapType===eg,metalnessMap:H,roughnessMap:R,anisotropy:oe,anisotropyMap:be,clearcoat:ge,clearcoatMap:Ye,clearcoatNormalMap:Ae,clearcoatRoughnessMap:ke,dispersion:Me,iridescence:he,iridescenceMap:et,iridescenceThicknessMap:Be,sheen:me,sheenColorMap:Le,sheenRoughnessMap:Ve,specularMap:qe,specularColorMap:ft,specularIntensityMap:Je,transmission:Se,transmissionMap:S,thicknessMap:Z,gradientMap:re,opaque:E.transparent===!1&&E.blending===pr&&E.alphaToCoverage===!1,alphaMap:ve,alphaTest:Pe,alphaHash:tt,combine:E.combine,mapUv:F&&x(E.map.channel),aoMapUv:Ee&&x(E.aoMap.channel),lightMapUv:xe&&x(E.lightMap.channel),bumpMapUv:we&&x(E.bumpMap.channel),normalMapUv:Re&&x(E.normalMap.channel),displacementMapUv:Ge&&x(E.displacementMap.channel),emissiveMapUv:ht&&x(E.emissiveMap.channel),metalnessMapUv:H&&x(E.metalnessMap.channel),roughnessMapUv:R&&x(E.roughnessMap.channel),anisotropyMapUv:be&&x(E.anisotropyMap.channel),clearcoatMapUv:Ye&&x(E.clearcoatMap.channel),clearcoatNormalMapUv:Ae&&x(E.clearcoatNormalMap.channel),clearcoatRoughnessMapUv:ke&&x(E.clearcoatRoughnessMap.channel),iridescenceMapUv:et&&x(E.iridescenceMap.channel),iridescenceThicknessMapUv:Be&&x(E.iridescenceThicknessMap.channel),sheenColorMapUv:Le&&x(E.sheenColorMap.channel),sheenRoughnessMapUv:Ve&&x(E.sheenRoughnessMap.channel),specularMapUv:qe&&x(E.specularMap.channel),specularColorMapUv:ft&&x(E.specularColorMap.channel),specularIntensityMapUv:Je&&x(E.specularIntensityMap.channel),transmissionMapUv:S&&x(E.transmissionMap.channel),thicknessMapUv:Z&&x(E.thicknessMap.channel),alphaMapUv:ve&&x(E.alphaMap.channel),vertexTangents:!!q.attributes.tangent&&(Re||oe),vertexColors:E.vertexColors,vertexAlphas:E.vertexColors===!0&&!!q.attributes.color&&q.attributes.color.itemSize===4,pointsUvs:I.isPoints===!0&&!!q.attributes.uv&&(F||ve),fog:!!K,useFog:E.fog===!0,fogExp2:!!K&&K.isFogExp2,flatShading:E.flatShading===!0,sizeAttenuation:E.sizeAttenuation===!0,logarithmicDepthBuffer:h,skinning:I.isSkinnedMesh===!0,morphTargets:q.morphAttributes.position!==void 0,morphNormals:q.morphAttributes.normal!==void 0,morphColors:q.morphAttributes.color!==void 0,morphTargetsCount:ce,morphTextureStride:O,numDirLights:v.directional.length,numPointLights:v.point.length,numSpotLights:v.spot.length,numSpotLightMaps:v.spotLightMap.length,numRectAreaLights:v.rectArea.length,numHemiLights:v.hemi.length,numDirLightShadows:v.directionalShadowMap.length,numPointLightShadows:v.pointShadowMap.length,numSpotLightShadows:v.spotShadowMap.length,numSpotLightShadowsWithMaps:v.numSpotLightShadowsWithMaps,numLightProbes:v.numLightProbes,numClippingPlanes:a.numPlanes,numClipIntersection:a.numIntersection,dithering:E.dithering,shadowMapEnabled:i.shadowMap.enabled&&L.length>0,shadowMapType:i.shadowMap.type,toneMapping:bt,useLegacyLights:i._useLegacyLights,decodeVideoTexture:F&&E.map.isVideoTexture===!0&&vt.getTransfer(E.map.colorSpace)===Pt,premultipliedAlpha:E.premultipliedAlpha,doubleSided:E.side===ui,flipSided:E.side===Un,useDepthPacking:E.depthPacking>=0,depthPacking:E.depthPacking||0,index0AttributeName:E.index0AttributeName,extensionClipCullDistance:it&&E.extensions.clipCullDistance===!0&&n.has("WEBGL_clip_cull_distance"),extensionMultiDraw:it&&E.extensions.multiDraw===!0&&n.has("WEBGL_multi_draw"),rendererExtensionParallelShaderCompile:n.has("KHR_parallel_shader_compile"),customProgramCacheKey:E.customProgramCacheKey()};return Ht.vertexUv1s=c.has(1),Ht.vertexUv2s=c.has(2),Ht.vertexUv3s=c.has(3),c.clear(),Ht}function d(E){const v=[];if(E.shaderID?v.push(E.shaderID):(v.push(E.customVertexShaderID),v.push(E.customFragmentShaderID)),E.defines!==void 0)for(const L in E.defines)v.push(L),v.push(E.defines[L]);return E.isRawShaderMaterial===!1&&(y(v,E),M(v,E),v.push(i.outputColorSpace)),v.push(E.customProgramCacheKey),v.join()}function y(E,v){E.push(v.precision),E.push(v.outputColorSpace),E.push(v.envMapMode),E.push(v.envMapCubeUVHeight),E.push(v.mapUv),E.push(v.alphaMapUv),E.push(v.lightMapUv),E.push(v.aoMapUv),E.push(v.bumpMapUv),E.push(v.normalMapUv),E.push(v.displacementMapUv),E.push(v.emissiveMapUv),E.push(v.metalnessMapUv),E.push(v.roughnessMapUv),E.push(v.anisotropyMapUv),E.push(v.clearcoatMapUv),E.push(v.clearcoatNormalMapUv),E.push(v.clearcoatRoughnessMapUv),E.push(v.iridescenceMapUv),E.push(v.iridescenceThicknessMapUv),E.push(v.sheenColorMapUv),E.push(v.sheenRoughnessMapUv),E.push(v.specularMapUv),E.push(v.specularColorMapUv),E.push(v.specularIntensityMapUv),E.push(v.transmissionMapUv),E.push(v.thicknessMapUv),E.push(v.combine),E.push(v.fogExp2),E.push(v.sizeAttenuation),E.push(v.morphTargetsCount),E.push(v.morphAttributeCount),E.push(v.numDirLights),E.push(v.numPointLights),E.push(v.numSpotLights),E.push(v.numSpotLightMaps),E.push(v.numHemiLights),E.push(v.numRectAreaLights),E.push(v.numDirLightShadows),E.push(v.numPointLightShadows),E.push(v.numSpotLightShadows),E.push(v.numSpotLightShadowsWithMaps),E.push(v.numLightProbes),E.push(v.shadowMapType),E.push(v.toneMapping),E.push(v.numClippingPlanes),E.push(v.numClipIntersection),E.push(v.depthPacking)}function M(E,v){o.disableAll(),v.supportsVertexTextures&&o.enable(0),v.instancing&&o.enable(1),v.instancingColor&&o.enable(2),v.instancingMorph&&o.enable(3),v.matcap&&o.enable(4),v.envMap&&o.enable(5),v.normalMapObjectSpace&&o.enable(6),v.normalMapTangentSpace&&o.enable(7),v.clearcoat&&o.enable(8),v.iridescence&&o.enable(9),v.alphaTest&&o.enable(10),v.vertexColors&&o.enable(11),v.vertexAlphas&&o.enable(12),v.vertexUv1s&&o.enable(13),v.vertexUv2s&&o.enable(14),v.vertexUv3s&&o.enable(15),v.vertexTangents&&o.enable(16),v.anisotropy&&o.enable(17),v.alphaHash&&o.enable(18),v.batching&&o.enable(19),v.dispersion&&o.enable(20),E.push(o.mask),o.disableAll(),v.fog&&o.enable(0),v.useFog&&o.enable(1),v.flatShading&&o.enable(2),v.logarithmicDepthBuffer&&o.enable(3),v.skinning&&o.enable(4),v.morphTargets&&o.enable(5),v.morphNormals&&o.enable(6),v.morphColors&&o.enable(7),v.premultipliedAlpha&&o.enable(8),v.shadowMapEnabled&&o.enable(9),v.useLegacyLights&&o.enable(10),v.doubleSided&&o.enable(11),v.flipSided&&o.enable(12),v.useDepthPacking&&o.enable(13),v.dithering&&o.enable(14),v.transmission&&o.enable(15),v.sheen&&o.enable(16),v.opaque&&o.enable(17),v.pointsUvs&&o.enable(18),v.decodeVideoTexture&&o.enable(19),v.alphaToCoverage&&o.enable(20),E.push(o.mask)}function w(E){const v=_[E.type];let L;if(v){const z=Mi[v];L=Lg.clone(z.uniforms)}else L=E.uniforms;return L}function V(E,v){let L;for(let z=0,I=u.length;z<I;z++){const K=u[z];if(K.cacheKey===v){L=K,++L.usedTimes;break}}return L===void 0&&(L=new Wx(i,v,E,r),u.push(L)),L}function T(E){if(--E.usedTimes===0){const v=u.indexOf(E);u[v]=u[u.length-1],u.pop(),E.destroy()}}function C(E){l.remove(E)}function N(){l.dispose()}return{getParameters:m,getProgramCacheKey:d,getUniforms:w,acquireProgram:V,releaseProgram:T,releaseShaderCache:C,programs:u,dispose:N}}function jx(){let i=new WeakMap;function e(r){let a=i.get(r);return a===void 0&&(a={},i.set(r,a)),a}function t(r){i.delete(r)}function n(r,a,o){i.get(r)[a]=o}function s(){i=new WeakMap}return{get:e,remove:t,update:n,dispose:s}}function Kx(i,e){return i.groupOrder!==e.groupOrder?i.groupOrder-e.groupOrder:i.renderOrder!==e.renderOrder?i.renderOrder-e.renderOrder:i.material.id!==e.material.id?i.material.id-e.material.id:i.z!==e.z?i.z-e.z:i.id-e.id}function Rh(i,e){return i.groupOrder!==e.groupOrder?i.groupOrder-e.groupOrder:i.renderOrder!==e.renderOrder?i.renderOrder-e.renderOrder:i.z!==e.z?e.z-i.z:i.id-e.id}function Ch(){const i=[];let e=0;const t=[],n=[],s=[];function r(){e=0,t.length=0,n.length=0,s.length=0}function a(h,f,p,_,x,m){let d=i[e];return d===void 0?(d={id:h.id,object:h,geometry:f,material:p,groupOrder:_,renderOrder:h.renderOrder,z:x,group:m},i[e]=d):(d.id=h.id,d.object=h,d.geometry=f,d.material=p,d.groupOrder=_,d.renderOrder=h.renderOrder,d.z=x,d.group=m),e++,d}function o(h,f,p,_,x,m){const d=a(h,f,p,_,x,m);p.transmission>0?n.push(d):p.transparent===!0?s.push(d):t.push(d)}function l(h,f,p,_,x,m){const d=a(h,f,p,_,x,m);p.transmission>0?n.unshift(d):p.transparent===!0?s.unshift(d):t.unshift(d)}function c(h,f){t.length>1&&t.sort(h||Kx),n.length>1&&n.sort(f||Rh),s.length>1&&s.sort(f||Rh)}function u(){for(let h=e,f=i.length;h<f;h++){const p=i[h];if(p.id===null)break;p.id=null,p.object=null,p.geometry=null,p.material=null,p.group=null}}return{opaque:t,transmissive:n,transparent:s,init:r,push:o,unshift:l,finish:u,sort:c}}function Zx(){let i=new WeakMap;function e(n,s){const r=i.get(n);let a;return r===void 0?(a=new Ch,i.set(n,[a])):s>=r.length?(a=new Ch,r.push(a)):a=r[s],a}function t(){i=new WeakMap}return{get:e,dispose:t}}function Jx(){const i={};return{get:function(e){if(i[e.id]!==void 0)return i[e.id];let t;switch(e.type){case"DirectionalLight":t={direction:new Y,color:new St};break;case"SpotLight":t={position:new Y,direction:new Y,color:new St,distance:0,coneCos:0,penumbraCos:0,decay:0};break;case"PointLight":t={position:new Y,color:new St,distance:0,decay:0};break;case"HemisphereLight":t={direction:new Y,skyColor:new St,groundColor:new St};break;case"RectAreaLight":t={color:new St,position:new Y,halfWidth:new Y,halfHeight:new Y};break}return i[e.id]=t,t}}}function Qx(){const i={};return{get:function(e){if(i[e.id]!==void 0)return i[e.id];let t;switch(e.type){case"DirectionalLight":t={shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new ze};break;case"SpotLight":t={shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new ze};break;case"PointLight":t={shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new ze,shadowCameraNear:1,shadowCameraFar:1e3};break}return i[e.id]=t,t}}}let eM=0;function tM(i,e){return(e.castShadow?2:0)-(i.castShadow?2:0)+(e.map?1:0)-(i.map?1:0)}function nM(i){const e=new Jx,t=Qx(),n={version:0,hash:{directionalLength:-1,pointLength:-1,spotLength:-1,rectAreaLength:-1,hemiLength:-1,numDirectionalShadows:-1,numPointShadows:-1,numSpotShadows:-1,numSpotMaps:-1,numLightProbes:-1},ambient:[0,0,0],probe:[],directional:[],directionalShadow:[],directionalShadowMap:[],directionalShadowMatrix:[],spot:[],spotLightMap:[],spotShadow:[],spotShadowMap:[],spotLightMatrix:[],rectArea:[],rectAreaLTC1:null,rectAreaLTC2:null,point:[],pointShadow:[],pointShadowMap:[],pointShadowMatrix:[],hemi:[],numSpotLightShadowsWithMaps:0,numLightProbes:0};for(let c=0;c<9;c++)n.probe.push(new Y);const s=new Y,r=new zt,a=new zt;function o(c,u){let h=0,f=0,p=0;for(let L=0;L<9;L++)n.probe[L].set(0,0,0);let _=0,x=0,m=0,d=0,y=0,M=0,w=0,V=0,T=0,C=0,N=0;c.sort(tM);const E=u===!0?Math.PI:1;for(let L=0,z=c.length;L<z;L++){const I=c[L],K=I.color,q=I.intensity,te=I.distance,ie=I.shadow&&I.shadow.map?I.shadow.map.texture:null;if(I.isAmbientLight)h+=K.r*q*E,f+=K.g*q*E,p+=K.b*q*E;else if(I.isLightProbe){for(let ne=0;ne<9;ne++)n.probe[ne].addScaledVector(I.sh.coefficients[ne],q);N++}else if(I.isDirectionalLight){const ne=e.get(I);if(ne.color.copy(I.color).multiplyScalar(I.intensity*E),I.castShadow){const fe=I.shadow,G=t.get(I);G.shadowBias=fe.bias,G.shadowNormalBias=fe.normalBias,G.shadowRadius=fe.radius,G.shadowMapSize=fe.mapSize,n.directionalShadow[_]=G,n.directionalShadowMap[_]=ie,n.directionalShadowMatrix[_]=I.shadow.matrix,M++}n.directional[_]=ne,_++}else if(I.isSpotLight){const ne=e.get(I);ne.position.setFromMatrixPosition(I.matrixWorld),ne.color.copy(K).multiplyScalar(q*E),ne.distance=te,ne.coneCos=Math.cos(I.angle),ne.penumbraCos=Math.cos(I.angle*(1-I.penumbra)),ne.decay=I.decay,n.spot[m]=ne;const fe=I.shadow;if(I.map&&(n.spotLightMap[T]=I.map,T++,fe.updateMatrices(I),I.castShadow&&C++),n.spotLightMatrix[m]=fe.matrix,I.castShadow){const G=t.get(I);G.shadowBias=fe.bias,G.shadowNormalBias=fe.normalBias,G.shadowRadius=fe.radius,G.shadowMapSize=fe.mapSize,n.spotShadow[m]=G,n.spotShadowMap[m]=ie,V++}m++}else if(I.isRectAreaLight){const ne=e.get(I);ne.color.copy(K).multiplyScalar(q),ne.halfWidth.set(I.width*.5,0,0),ne.halfHeight.set(0,I.height*.5,0),n.rectArea[d]=ne,d++}else if(I.isPointLight){const ne=e.get(I);if(ne.color.copy(I.color).multiplyScalar(I.intensity*E),ne.distance=I.distance,ne.decay=I.decay,I.castShadow){const fe=I.shadow,G=t.get(I);G.shadowBias=fe.bias,G.shadowNormalBias=fe.normalBias,G.shadowRadius=fe.radius,G.shadowMapSize=fe.mapSize,G.shadowCameraNear=fe.camera.near,G.shadowCameraFar=fe.camera.far,n.pointShadow[x]=G,n.pointShadowMap[x]=ie,n.pointShadowMatrix[x]=I.shadow.matrix,w++}n.point[x]=ne,x++}else if(I.isHemisphereLight){const ne=e.get(I);ne.skyColor.copy(I.color).multiplyScalar(q*E),ne.groundColor.copy(I.groundColor).multiplyScalar(q*E),n.hemi[y]=ne,y++}}d>0&&(i.has("OES_texture_float_linear")===!0?(n.rectAreaLTC1=Ie.LTC_FLOAT_1,n.rectAreaLTC2=Ie.LTC_FLOAT_2):(n.rectAreaLTC1=Ie.LTC_HALF_1,n.rectAreaLTC2=Ie.LTC_HALF_2)),n.ambient[0]=h,n.ambient[1]=f,n.ambient[2]=p;const v=n.hash;(v.directionalLength!==_||v.pointLength!==x||v.spotLength!==m||v.rectAreaLength!==d||v.hemiLength!==y||v.numDirectionalShadows!==M||v.numPointShadows!==w||v.numSpotShadows!==V||v.numSpotMaps!==T||v.numLightProbes!==N)&&(n.directional.length=_,n.spot.length=m,n.rectArea.length=d,n.point.length=x,n.hemi.length=y,n.directionalShadow.length=M,n.directionalShadowMap.length=M,n.pointShadow.length=w,n.pointShadowMap.length=w,n.spotShadow.length=V,n.spotShadowMap.length=V,n.directionalShadowMatrix.length=M,n.pointShadowMatrix.length=w,n.spotLightMatrix.length=V+T-C,n.spotLightMap.length=T,n.numSpotLightShadowsWithMaps=C,n.numLightProbes=N,v.directionalLength=_,v.pointLength=x,v.spotLength=m,v.rectAreaLength=d,v.hemiLength=y,v.numDirectionalShadows=M,v.numPointShadows=w,v.numSpotShadows=V,v.numSpotMaps=T,v.numLightProbes=N,n.version=eM++)}function l(c,u){let h=0,f=0,p=0,_=0,x=0;const m=u.matrixWorldInverse;for(let d=0,y=c.length;d<y;d++){const M=c[d];if(M.isDirectionalLight){const w=n.directional[h];w.direction.setFromMatrixPosition(M.matrixWorld),s.setFromMatrixPosition(M.target.matrixWorld),w.direction.sub(s),w.direction.transformDirection(m),h++}else if(M.isSpotLight){const w=n.spot[p];w.position.setFromMatrixPosition(M.matrixWorld),w.position.applyMatrix4(m),w.direction.setFromMatrixPosition(M.matrixWorld),s.setFromMatrixPosition(M.target.matrixWorld),w.direction.sub(s),w.direction.transformDirection(m),p++}else if(M.isRectAreaLight){const w=n.rectArea[_];w.position.setFromMatrixPosition(M.matrixWorld),w.position.applyMatrix4(m),a.identity(),r.copy(M.matrixWorld),r.premultiply(m),a.extractRotation(r),w.halfWidth.set(M.width*.5,0,0),w.halfHeight.set(0,M.height*.5,0),w.halfWidth.applyMatrix4(a),w.halfHeight.applyMatrix4(a),_++}else if(M.isPointLight){const w=n.point[f];w.position.setFromMatrixPosition(M.matrixWorld),w.position.applyMatrix4(m),f++}else if(M.isHemisphereLight){const w=n.hemi[x];w.direction.setFromMatrixPosition(M.matrixWorld),w.direction.transformDirection(m),x++}}}return{setup:o,setupView:l,state:n}}function Ph(i){const e=new nM(i),t=[],n=[];function s(u){c.camera=u,t.length=0,n.length=0}function r(u){t.push(u)}function a(u){n.push(u)}function o(u){e.setup(t,u)}function l(u){e.setupView(t,u)}const c={lightsArray:t,shadowsArray:n,camera:null,lights:e,transmissionRenderTarget:{}};return{init:s,state:c,setupLights:o,setupLightsView:l,pushLight:r,pushShadow:a}}function iM(i){let e=new WeakMap;function t(s,r=0){const a=e.get(s);let o;return a===void 0?(o=new Ph(i),e.set(s,[o])):r>=a.length?(o=new Ph(i),a.push(o)):o=a[r],o}function n(){e=new WeakMap}return{get:t,dispose:n}}class sM extends mo{constructor(e){super(),this.isMeshDepthMaterial=!0,this.type="MeshDepthMaterial",this.depthPacking=Jm,this.map=null,this.alphaMap=null,this.displacementMap=null,this.displacementScale=1,this.displacementBias=0,this.wireframe=!1,this.wireframeLinewidth=1,this.setValues(e)}copy(e){return super.copy(e),this.depthPacking=e.depthPacking,this.map=e.map,this.alphaMap=e.alphaMap,this.displacementMap=e.displacementMap,this.displacementScale=e.displacementScale,this.displacementBias=e.displacementBias,this.wireframe=e.wireframe,this.wireframeLinewidth=e.wireframeLinewidth,this}}class rM extends mo{constructor(e){super(),this.isMeshDistanceMaterial=!0,this.type="MeshDistanceMaterial",this.map=null,this.alphaMap=null,this.displacementMap=null,this.displacementScale=1,this.displacementBias=0,this.setValues(e)}copy(e){return super.copy(e),this.map=e.map,this.alphaMap=e.alphaMap,this.displacementMap=e.displacementMap,this.displacementScale=e.displacementScale,this.displacementBias=e.displacementBias,this}}const aM=`void main() {
	gl_Position = vec4( position, 1.0 );
}`,oM=`uniform sampler2D shadow_pass;
uniform vec2 resolution;
uniform float radius;
#include <packing>
void main() {
	const float samples = float( VSM_SAMPLES );
	float mean = 0.0;
	float squared_mean = 0.0;
	float uvStride = samples <= 1.0 ? 0.0 : 2.0 / ( samples - 1.0 );
	float uvStart = samples <= 1.0 ? 0.0 : - 1.0;
	for ( float i = 0.0; i < samples; i ++ ) {
		float uvOffset = uvStart + i * uvStride;
		#ifdef HORIZONTAL_PASS
			vec2 distribution = unpackRGBATo2Half( texture2D( shadow_pass, ( gl_FragCoord.xy + vec2( uvOffset, 0.0 ) * radius ) / resolution ) );
			mean += distribution.x;
			squared_mean += distribution.y * distribution.y + distribution.x * distribution.x;
		#else
			float depth = unpackRGBAToDepth( texture2D( shadow_pass, ( gl_FragCoord.xy + vec2( 0.0, uvOffset ) * radius ) / resolution ) );
			mean += depth;
			squared_mean += depth * depth;
		#endif
	}
	mean = mean / samples;
	squared_mean = squared_mean / samples;
	float std_dev = sqrt( squared_mean - mean * mean );
	gl_FragColor = pack2HalfToRGBA( vec2( mean, std_dev ) );
}`;function lM(i,e,t){let n=new yd;const s=new ze,r=new ze,a=new fn,o=new sM({depthPacking:Qm}),l=new rM,c={},u=t.maxTextureSize,h={[is]:Un,[Un]:is,[ui]:ui},f=new Ei({defines:{VSM_SAMPLES:8},uniforms:{shadow_pass:{value:null},resolution:{value:new ze},radius:{value:4}},vertexShader:aM,fragmentShader:oM}),p=f.clone();p.defines.HORIZONTAL_PASS=1;const _=new di;_.setAttribute("position",new An(new Float32Array([-1,-1,.5,3,-1,.5,-1,3,.5]),3));const x=new Dn(_,f),m=this;this.enabled=!1,this.autoUpdate=!0,this.needsUpdate=!1,this.type=nd;let d=this.type;this.render=function(T,C,N){if(m.enabled===!1||m.autoUpdate===!1&&m.needsUpdate===!1||T.length===0)return;const E=i.getRenderTarget(),v=i.getActiveCubeFace(),L=i.getActiveMipmapLevel(),z=i.state;z.setBlending(ts),z.buffers.color.setClear(1,1,1,1),z.buffers.depth.setTest(!0),z.setScissorTest(!1);const I=d!==Di&&this.type===Di,K=d===Di&&this.type!==Di;for(let q=0,te=T.length;q<te;q++){const ie=T[q],ne=ie.shadow;if(ne===void 0){console.warn("THREE.WebGLShadowMap:",ie,"has no shadow.");continue}if(ne.autoUpdate===!1&&ne.needsUpdate===!1)continue;s.copy(ne.mapSize);const fe=ne.getFrameExtents();if(s.multiply(fe),r.copy(ne.mapSize),(s.x>u||s.y>u)&&(s.x>u&&(r.x=Math.floor(u/fe.x),s.x=r.x*fe.x,ne.mapSize.x=r.x),s.y>u&&(r.y=Math.floor(u/fe.y),s.y=r.y*fe.y,ne.mapSize.y=r.y)),ne.map===null||I===!0||K===!0){const ce=this.type!==Di?{minFilter:Ln,magFilter:Ln}:{};ne.map!==null&&ne.map.dispose(),ne.map=new As(s.x,s.y,ce),ne.map.texture.name=ie.name+".shadowMap",ne.camera.updateProjectionMatrix()}i.setRenderTarget(ne.map),i.clear();const G=ne.getViewportCount();for(let ce=0;ce<G;ce++){const O=ne.getViewport(ce);a.set(r.x*O.x,r.y*O.y,r.x*O.z,r.y*O.w),z.viewport(a),ne.updateMatrices(ie,ce),n=ne.getFrustum(),w(C,N,ne.camera,ie,this.type)}ne.isPointLightShadow!==!0&&this.type===Di&&y(ne,N),ne.needsUpdate=!1}d=this.type,m.needsUpdate=!1,i.setRenderTarget(E,v,L)};function y(T,C){const N=e.update(x);f.defines.VSM_SAMPLES!==T.blurSamples&&(f.defines.VSM_SAMPLES=T.blurSamples,p.defines.VSM_SAMPLES=T.blurSamples,f.needsUpdate=!0,p.needsUpdate=!0),T.mapPass===null&&(T.mapPass=new As(s.x,s.y)),f.uniforms.shadow_pass.value=T.map.texture,f.uniforms.resolution.value=T.mapSize,f.uniforms.radius.value=T.radius,i.setRenderTarget(T.mapPass),i.clear(),i.renderBufferDirect(C,null,N,f,x,null),p.uniforms.shadow_pass.value=T.mapPass.texture,p.uniforms.resolution.value=T.mapSize,p.uniforms.radius.value=T.radius,i.setRenderTarget(T.map),i.clear(),i.renderBufferDirect(C,null,N,p,x,null)}function M(T,C,N,E){let v=null;const L=N.isPointLight===!0?T.customDistanceMaterial:T.customDepthMaterial;if(L!==void 0)v=L;else if(v=N.isPointLight===!0?l:o,i.localClippingEnabled&&C.clipShadows===!0&&Array.isArray(C.clippingPlanes)&&C.clippingPlanes.length!==0||C.displacementMap&&C.displacementScale!==0||C.alphaMap&&C.alphaTest>0||C.map&&C.alphaTest>0){const z=v.uuid,I=C.uuid;let K=c[z];K===void 0&&(K={},c[z]=K);let q=K[I];q===void 0&&(q=v.clone(),K[I]=q,C.addEventListener("dispose",V)),v=q}if(v.visible=C.visible,v.wireframe=C.wireframe,E===Di?v.side=C.shadowSide!==null?C.shadowSide:C.side:v.side=C.shadowSide!==null?C.shadowSide:h[C.side],v.alphaMap=C.alphaMap,v.alphaTest=C.alphaTest,v.map=C.map,v.clipShadows=C.clipShadows,v.clippingPlanes=C.clippingPlanes,v.clipIntersection=C.clipIntersection,v.displacementMap=C.displacementMap,v.displacementScale=C.displacementScale,v.displacementBias=C.displacementBias,v.wireframeLinewidth=C.wireframeLinewidth,v.linewidth=C.linewidth,N.isPointLight===!0&&v.isMeshDistanceMaterial===!0){const z=i.properties.get(v);z.light=N}return v}function w(T,C,N,E,v){if(T.visible===!1)return;if(T.layers.test(C.layers)&&(T.isMesh||T.isLine||T.isPoints)&&(T.castShadow||T.receiveShadow&&v===Di)&&(!T.frustumCulled||n.intersectsObject(T))){T.modelViewMatrix.multiplyMatrices(N.matrixWorldInverse,T.matrixWorld);const I=e.update(T),K=T.material;if(Array.isArray(K)){const q=I.groups;for(let te=0,ie=q.length;te<ie;te++){const ne=q[te],fe=K[ne.materialIndex];if(fe&&fe.visible){const G=M(T,fe,E,v);T.onBeforeShadow(i,T,C,N,I,G,ne),i.renderBufferDirect(N,null,I,G,T,ne),T.onAfterShadow(i,T,C,N,I,G,ne)}}}else if(K.visible){const q=M(T,K,E,v);T.onBeforeShadow(i,T,C,N,I,q,null),i.renderBufferDirect(N,null,I,q,T,null),T.onAfterShadow(i,T,C,N,I,q,null)}}const z=T.children;for(let I=0,K=z.length;I<K;I++)w(z[I],C,N,E,v)}function V(T){T.target.removeEventListener("dispose",V);for(const N in c){const E=c[N],v=T.target.uuid;v in E&&(E[v].dispose(),delete E[v])}}}function cM(i){function e(){let S=!1;const Z=new fn;let re=null;const ve=new fn(0,0,0,0);return{setMask:function(Pe){re!==Pe&&!S&&(i.colorMask(Pe,Pe,Pe,Pe),re=Pe)},setLocked:function(Pe){S=Pe},setClear:function(Pe,tt,it,bt,Ht){Ht===!0&&(Pe*=bt,tt*=bt,it*=bt),Z.set(Pe,tt,it,bt),ve.equals(Z)===!1&&(i.clearColor(Pe,tt,it,bt),ve.copy(Z))},reset:function(){S=!1,re=null,ve.set(-1,0,0,0)}}}function t(){let S=!1,Z=null,re=null,ve=null;return{setTest:function(Pe){Pe?J(i.DEPTH_TEST):Q(i.DEPTH_TEST)},setMask:function(Pe){Z!==Pe&&!S&&(i.depthMask(Pe),Z=Pe)},setFunc:function(Pe){if(re!==Pe){switch(Pe){case wm:i.depthFunc(i.NEVER);break;case Tm:i.depthFunc(i.ALWAYS);break;case Am:i.depthFunc(i.LESS);break;case Qa:i.depthFunc(i.LEQUAL);break;case Rm:i.depthFunc(i.EQUAL);break;case Cm:i.depthFunc(i.GEQUAL);break;case Pm:i.depthFunc(i.GREATER);break;case Lm:i.depthFunc(i.NOTEQUAL);break;default:i.depthFunc(i.LEQUAL)}re=Pe}},setLocked:function(Pe){S=Pe},setClear:function(Pe){ve!==Pe&&(i.clearDepth(Pe),ve=Pe)},reset:function(){S=!1,Z=null,re=null,ve=null}}}function n(){let S=!1,Z=null,re=null,ve=null,Pe=null,tt=null,it=null,bt=null,Ht=null;return{setTest:function(lt){S||(lt?J(i.STENCIL_TEST):Q(i.STENCIL_TEST))},setMask:function(lt){Z!==lt&&!S&&(i.stencilMask(lt),Z=lt)},setFunc:function(lt,Nt,ut){(re!==lt||ve!==Nt||Pe!==ut)&&(i.stencilFunc(lt,Nt,ut),re=lt,ve=Nt,Pe=ut)},setOp:function(lt,Nt,ut){(tt!==lt||it!==Nt||bt!==ut)&&(i.stencilOp(lt,Nt,ut),tt=lt,it=Nt,bt=ut)},setLocked:function(lt){S=lt},setClear:function(lt){Ht!==lt&&(i.clearStencil(lt),Ht=lt)},reset:function(){S=!1,Z=null,re=null,ve=null,Pe=null,tt=null,it=null,bt=null,Ht=null}}}const s=new e,r=new t,a=new n,o=new WeakMap,l=new WeakMap;let c={},u={},h=new WeakMap,f=[],p=null,_=!1,x=null,m=null,d=null,y=null,M=null,w=null,V=null,T=new St(0,0,0),C=0,N=!1,E=null,v=null,L=null,z=null,I=null;const K=i.getParameter(i.MAX_COMBINED_TEXTURE_IMAGE_UNITS);let q=!1,te=0;const ie=i.getParameter(i.VERSION);ie.indexOf("WebGL")!==-1?(te=parseFloat(/^WebGL (\d)/.exec(ie)[1]),q=te>=1):ie.indexOf("OpenGL ES")!==-1&&(te=parseFloat(/^OpenGL ES (\d)/.exec(ie)[1]),q=te>=2);let ne=null,fe={};const G=i.getParameter(i.SCISSOR_BOX),ce=i.getParameter(i.VIEWPORT),O=new fn().fromArray(G),B=new fn().fromArray(ce);function U(S,Z,re,ve){const Pe=new Uint8Array(4),tt=i.createTexture();i.bindTexture(S,tt),i.texParameteri(S,i.TEXTURE_MIN_FILTER,i.NEAREST),i.texParameteri(S,i.TEXTURE_MAG_FILTER,i.NEAREST);for(let it=0;it<re;it++)S===i.TEXTURE_3D||S===i.TEXTURE_2D_ARRAY?i.texImage3D(Z,0,i.RGBA,1,1,ve,0,i.RGBA,i.UNSIGNED_BYTE,Pe):i.texImage2D(Z+it,0,i.RGBA,1,1,0,i.RGBA,i.UNSIGNED_BYTE,Pe);return tt}const W={};W[i.TEXTURE_2D]=U(i.TEXTURE_2D,i.TEXTURE_2D,1),W[i.TEXTURE_CUBE_MAP]=U(i.TEXTURE_CUBE_MAP,i.TEXTURE_CUBE_MAP_POSITIVE_X,6),W[i.TEXTURE_2D_ARRAY]=U(i.TEXTURE_2D_ARRAY,i.TEXTURE_2D_ARRAY,1,1),W[i.TEXTURE_3D]=U(i.TEXTURE_3D,i.TEXTURE_3D,1,1),s.setClear(0,0,0,1),r.setClear(1),a.setClear(0),J(i.DEPTH_TEST),r.setFunc(Qa),we(!1),Re(hu),J(i.CULL_FACE),Ee(ts);function J(S){c[S]!==!0&&(i.enable(S),c[S]=!0)}function Q(S){c[S]!==!1&&(i.disable(S),c[S]=!1)}function j(S,Z){return u[S]!==Z?(i.bindFramebuffer(S,Z),u[S]=Z,S===i.DRAW_FRAMEBUFFER&&(u[i.FRAMEBUFFER]=Z),S===i.FRAMEBUFFER&&(u[i.DRAW_FRAMEBUFFER]=Z),!0):!1}function X(S,Z){let re=f,ve=!1;if(S){re=h.get(Z),re===void 0&&(re=[],h.set(Z,re));const Pe=S.textures;if(re.length!==Pe.length||re[0]!==i.COLOR_ATTACHMENT0){for(let tt=0,it=Pe.length;tt<it;tt++)re[tt]=i.COLOR_ATTACHMENT0+tt;re.length=Pe.length,ve=!0}}else re[0]!==i.BACK&&(re[0]=i.BACK,ve=!0);ve&&i.drawBuffers(re)}function F(S){return p!==S?(i.useProgram(S),p=S,!0):!1}const pe={[xs]:i.FUNC_ADD,[lm]:i.FUNC_SUBTRACT,[cm]:i.FUNC_REVERSE_SUBTRACT};pe[um]=i.MIN,pe[hm]=i.MAX;const de={[fm]:i.ZERO,[dm]:i.ONE,[pm]:i.SRC_COLOR,[Gl]:i.SRC_ALPHA,[Mm]:i.SRC_ALPHA_SATURATE,[vm]:i.DST_COLOR,[gm]:i.DST_ALPHA,[mm]:i.ONE_MINUS_SRC_COLOR,[Wl]:i.ONE_MINUS_SRC_ALPHA,[xm]:i.ONE_MINUS_DST_COLOR,[_m]:i.ONE_MINUS_DST_ALPHA,[Sm]:i.CONSTANT_COLOR,[ym]:i.ONE_MINUS_CONSTANT_COLOR,[Em]:i.CONSTANT_ALPHA,[bm]:i.ONE_MINUS_CONSTANT_ALPHA};function Ee(S,Z,re,ve,Pe,tt,it,bt,Ht,lt){if(S===ts){_===!0&&(Q(i.BLEND),_=!1);return}if(_===!1&&(J(i.BLEND),_=!0),S!==om){if(S!==x||lt!==N){if((m!==xs||M!==xs)&&(i.blendEquation(i.FUNC_ADD),m=xs,M=xs),lt)switch(S){case pr:i.blendFuncSeparate(i.ONE,i.ONE_MINUS_SRC_ALPHA,i.ONE,i.ONE_MINUS_SRC_ALPHA);break;case fu:i.blendFunc(i.ONE,i.ONE);break;case du:i.blendFuncSeparate(i.ZERO,i.ONE_MINUS_SRC_COLOR,i.ZERO,i.ONE);break;case pu:i.blendFuncSeparate(i.ZERO,i.SRC_COLOR,i.ZERO,i.SRC_ALPHA);break;default:console.error("THREE.WebGLState: Invalid blending: ",S);break}else switch(S){case pr:i.blendFuncSeparate(i.SRC_ALPHA,i.ONE_MINUS_SRC_ALPHA,i.ONE,i.ONE_MINUS_SRC_ALPHA);break;case fu:i.blendFunc(i.SRC_ALPHA,i.ONE);break;case du:i.blendFuncSeparate(i.ZERO,i.ONE_MINUS_SRC_COLOR,i.ZERO,i.ONE);break;case pu:i.blendFunc(i.ZERO,i.SRC_COLOR);break;default:console.error("THREE.WebGLState: Invalid blending: ",S);break}d=null,y=null,w=null,V=null,T.set(0,0,0),C=0,x=S,N=lt}return}Pe=Pe||Z,tt=tt||re,it=it||ve,(Z!==m||Pe!==M)&&(i.blendEquationSeparate(pe[Z],pe[Pe]),m=Z,M=Pe),(re!==d||ve!==y||tt!==w||it!==V)&&(i.blendFuncSeparate(de[re],de[ve],de[tt],de[it]),d=re,y=ve,w=tt,V=it),(bt.equals(T)===!1||Ht!==C)&&(i.blendColor(bt.r,bt.g,bt.b,Ht),T.copy(bt),C=Ht),x=S,N=!1}function xe(S,Z){S.side===ui?Q(i.CULL_FACE):J(i.CULL_FACE);let re=S.side===Un;Z&&(re=!re),we(re),S.blending===pr&&S.transparent===!1?Ee(ts):Ee(S.blending,S.blendEquation,S.blendSrc,S.blendDst,S.blendEquationAlpha,S.blendSrcAlpha,S.blendDstAlpha,S.blendColor,S.blendAlpha,S.premultipliedAlpha),r.setFunc(S.depthFunc),r.setTest(S.depthTest),r.setMask(S.depthWrite),s.setMask(S.colorWrite);const ve=S.stencilWrite;a.setTest(ve),ve&&(a.setMask(S.stencilWriteMask),a.setFunc(S.stencilFunc,S.stencilRef,S.stencilFuncMask),a.setOp(S.stencilFail,S.stencilZFail,S.stencilZPass)),ht(S.polygonOffset,S.polygonOffsetFactor,S.polygonOffsetUnits),S.alphaToCoverage===!0?J(i.SAMPLE_ALPHA_TO_COVERAGE):Q(i.SAMPLE_ALPHA_TO_COVERAGE)}function we(S){E!==S&&(S?i.frontFace(i.CW):i.frontFace(i.CCW),E=S)}function Re(S){S!==sm?(J(i.CULL_FACE),S!==v&&(S===hu?i.cullFace(i.BACK):S===rm?i.cullFace(i.FRONT):i.cullFace(i.FRONT_AND_BACK))):Q(i.CULL_FACE),v=S}function Ge(S){S!==L&&(q&&i.lineWidth(S),L=S)}function ht(S,Z,re){S?(J(i.POLYGON_OFFSET_FILL),(z!==Z||I!==re)&&(i.polygonOffset(Z,re),z=Z,I=re)):Q(i.POLYGON_OFFSET_FILL)}function H(S){S?J(i.SCISSOR_TEST):Q(i.SCISSOR_TEST)}function R(S){S===void 0&&(S=i.TEXTURE0+K-1),ne!==S&&(i.activeTexture(S),ne=S)}function oe(S,Z,re){re===void 0&&(ne===null?re=i.TEXTURE0+K-1:re=ne);let ve=fe[re];ve===void 0&&(ve={type:void 0,texture:void 0},fe[re]=ve),(ve.type!==S||ve.texture!==Z)&&(ne!==re&&(i.activeTexture(re),ne=re),i.bindTexture(S,Z||W[S]),ve.type=S,ve.texture=Z)}function ge(){const S=fe[ne];S!==void 0&&S.type!==void 0&&(i.bindTexture(S.type,null),S.type=void 0,S.texture=void 0)}function Me(){try{i.compressedTexImage2D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function he(){try{i.compressedTexImage3D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function me(){try{i.texSubImage2D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function Se(){try{i.texSubImage3D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function be(){try{i.compressedTexSubImage2D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function Ye(){try{i.compressedTexSubImage3D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function Ae(){try{i.texStorage2D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function ke(){try{i.texStorage3D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function et(){try{i.texImage2D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function Be(){try{i.texImage3D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function Le(S){O.equals(S)===!1&&(i.scissor(S.x,S.y,S.z,S.w),O.copy(S))}function Ve(S){B.equals(S)===!1&&(i.viewport(S.x,S.y,S.z,S.w),B.copy(S))}function qe(S,Z){let re=l.get(Z);re===void 0&&(re=new WeakMap,l.set(Z,re));let ve=re.get(S);ve===void 0&&(ve=i.getUniformBlockIndex(Z,S.name),re.set(S,ve))}function ft(S,Z){const ve=l.get(Z).get(S);o.get(Z)!==ve&&(i.uniformBlockBinding(Z,ve,S.__bindingPointIndex),o.set(Z,ve))}function Je(){i.disable(i.BLEND),i.disable(i.CULL_FACE),i.disable(i.DEPTH_TEST),i.disable(i.POLYGON_OFFSET_FILL),i.disable(i.SCISSOR_TEST),i.disable(i.STENCIL_TEST),i.disable(i.SAMPLE_ALPHA_TO_COVERAGE),i.blendEquation(i.FUNC_ADD),i.blendFunc(i.ONE,i.ZERO),i.blendFuncSeparate(i.ONE,i.ZERO,i.ONE,i.ZERO),i.blendColor(0,0,0,0),i.colorMask(!0,!0,!0,!0),i.clearColor(0,0,0,0),i.depthMask(!0),i.depthFunc(i.LESS),i.clearDepth(1),i.stencilMask(4294967295),i.stencilFunc(i.ALWAYS,0,4294967295),i.stencilOp(i.KEEP,i.KEEP,i.KEEP),i.clearStencil(0),i.cullFace(i.BACK),i.frontFace(i.CCW),i.polygonOffset(0,0),i.activeTexture(i.TEXTURE0),i.bindFramebuffer(i.FRAMEBUFFER,null),i.bindFramebuffer(i.DRAW_FRAMEBUFFER,null),i.bindFramebuffer(i.READ_FRAMEBUFFER,null),i.useProgram(null),i.lineWidth(1),i.scissor(0,0,i.canvas.width,i.canvas.height),i.viewport(0,0,i.canvas.width,i.canvas.height),c={},ne=null,fe={},u={},h=new WeakMap,f=[],p=null,_=!1,x=null,m=null,d=null,y=null,M=null,w=null,V=null,T=new St(0,0,0),C=0,N=!1,E=null,v=null,L=null,z=null,I=null,O.set(0,0,i.canvas.width,i.canvas.height),B.set(0,0,i.canvas.width,i.canvas.height),s.reset(),r.reset(),a.reset()}return{buffers:{color:s,depth:r,stencil:a},enable:J,disable:Q,bindFramebuffer:j,drawBuffers:X,useProgram:F,setBlending:Ee,setMaterial:xe,setFlipSided:we,setCullFace:Re,setLineWidth:Ge,setPolygonOffset:ht,setScissorTest:H,activeTexture:R,bindTexture:oe,unbindTexture:ge,compressedTexImage2D:Me,compressedTexImage3D:he,texImage2D:et,texImage3D:Be,updateUBOMapping:qe,uniformBlockBinding:ft,texStorage2D:Ae,texStorage3D:ke,texSubImage2D:me,texSubImage3D:Se,compressedTexSubImage2D:be,compressedTexSubImage3D:Ye,scissor:Le,viewport:Ve,reset:Je}}function uM(i,e,t,n,s,r,a){const o=e.has("WEBGL_multisampled_render_to_texture")?e.get("WEBGL_multisampled_render_to_texture"):null,l=typeof navigator>"u"?!1:/OculusBrowser/g.test(navigator.userAgent),c=new ze,u=new WeakMap;let h;const f=new WeakMap;let p=!1;try{p=typeof OffscreenCanvas<"u"&&new OffscreenCanvas(1,1).getContext("2d")!==null}catch{}function _(H,R){return p?new OffscreenCanvas(H,R):so("canvas")}function x(H,R,oe){let ge=1;const Me=ht(H);if((Me.width>oe||Me.height>oe)&&(ge=oe/Math.max(Me.width,Me.height)),ge<1)if(typeof HTMLImageElement<"u"&&H instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&H instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&H instanceof ImageBitmap||typeof VideoFrame<"u"&&H instanceof VideoFrame){const he=Math.floor(ge*Me.width),me=Math.floor(ge*Me.height);h===void 0&&(h=_(he,me));const Se=R?_(he,me):h;return Se.width=he,Se.height=me,Se.getContext("2d").drawImage(H,0,0,he,me),console.warn("THREE.WebGLRenderer: Texture has been resized from ("+Me.width+"x"+Me.height+") to ("+he+"x"+me+")."),Se}else return"data"in H&&console.warn("THREE.WebGLRenderer: Image in DataTexture is too big ("+Me.width+"x"+Me.height+")."),H;return H}function m(H){return H.generateMipmaps&&H.minFilter!==Ln&&H.minFilter!==hi}function d(H){i.generateMipmap(H)}function y(H,R,oe,ge,Me=!1){if(H!==null){if(i[H]!==void 0)return i[H];console.warn("THREE.WebGLRenderer: Attempt to use non-existing WebGL internal format '"+H+"'")}let he=R;if(R===i.RED&&(oe===i.FLOAT&&(he=i.R32F),oe===i.HALF_FLOAT&&(he=i.R16F),oe===i.UNSIGNED_BYTE&&(he=i.R8)),R===i.RED_INTEGER&&(oe===i.UNSIGNED_BYTE&&(he=i.R8UI),oe===i.UNSIGNED_SHORT&&(he=i.R16UI),oe===i.UNSIGNED_INT&&(he=i.R32UI),oe===i.BYTE&&(he=i.R8I),oe===i.SHORT&&(he=i.R16I),oe===i.INT&&(he=i.R32I)),R===i.RG&&(oe===i.FLOAT&&(he=i.RG32F),oe===i.HALF_FLOAT&&(he=i.RG16F),oe===i.UNSIGNED_BYTE&&(he=i.RG8)),R===i.RG_INTEGER&&(oe===i.UNSIGNED_BYTE&&(he=i.RG8UI),oe===i.UNSIGNED_SHORT&&(he=i.RG16UI),oe===i.UNSIGNED_INT&&(he=i.RG32UI),oe===i.BYTE&&(he=i.RG8I),oe===i.SHORT&&(he=i.RG16I),oe===i.INT&&(he=i.RG32I)),R===i.RGB&&oe===i.UNSIGNED_INT_5_9_9_9_REV&&(he=i.RGB9_E5),R===i.RGBA){const me=Me?eo:vt.getTransfer(ge);oe===i.FLOAT&&(he=i.RGBA32F),oe===i.HALF_FLOAT&&(he=i.RGBA16F),oe===i.UNSIGNED_BYTE&&(he=me===Pt?i.SRGB8_ALPHA8:i.RGBA8),oe===i.UNSIGNED_SHORT_4_4_4_4&&(he=i.RGBA4),oe===i.UNSIGNED_SHORT_5_5_5_1&&(he=i.RGB5_A1)}return(he===i.R16F||he===i.R32F||he===i.RG16F||he===i.RG32F||he===i.RGBA16F||he===i.RGBA32F)&&e.get("EXT_color_buffer_float"),he}function M(H,R){return m(H)===!0||H.isFramebufferTexture&&H.minFilter!==Ln&&H.minFilter!==hi?Math.log2(Math.max(R.width,R.height))+1:H.mipmaps!==void 0&&H.mipmaps.length>0?H.mipmaps.length:H.isCompressedTexture&&Array.isArray(H.image)?R.mipmaps.length:1}function w(H){const R=H.target;R.removeEventListener("dispose",w),T(R),R.isVideoTexture&&u.delete(R)}function V(H){const R=H.target;R.removeEventListener("dispose",V),N(R)}function T(H){const R=n.get(H);if(R.__webglInit===void 0)return;const oe=H.source,ge=f.get(oe);if(ge){const Me=ge[R.__cacheKey];Me.usedTimes--,Me.usedTimes===0&&C(H),Object.keys(ge).length===0&&f.delete(oe)}n.remove(H)}function C(H){const R=n.get(H);i.deleteTexture(R.__webglTexture);const oe=H.source,ge=f.get(oe);delete ge[R.__cacheKey],a.memory.textures--}function N(H){const R=n.get(H);if(H.depthTexture&&H.depthTexture.dispose(),H.isWebGLCubeRenderTarget)for(let ge=0;ge<6;ge++){if(Array.isArray(R.__webglFramebuffer[ge]))for(let Me=0;Me<R.__webglFramebuffer[ge].length;Me++)i.deleteFramebuffer(R.__webglFramebuffer[ge][Me]);else i.deleteFramebuffer(R.__webglFramebuffer[ge]);R.__webglDepthbuffer&&i.deleteRenderbuffer(R.__webglDepthbuffer[ge])}else{if(Array.isArray(R.__webglFramebuffer))for(let ge=0;ge<R.__webglFramebuffer.length;ge++)i.deleteFramebuffer(R.__webglFramebuffer[ge]);else i.deleteFramebuffer(R.__webglFramebuffer);if(R.__webglDepthbuffer&&i.deleteRenderbuffer(R.__webglDepthbuffer),R.__webglMultisampledFramebuffer&&i.deleteFramebuffer(R.__webglMultisampledFramebuffer),R.__webglColorRenderbuffer)for(let ge=0;ge<R.__webglColorRenderbuffer.length;ge++)R.__webglColorRenderbuffer[ge]&&i.deleteRenderbuffer(R.__webglColorRenderbuffer[ge]);R.__webglDepthRenderbuffer&&i.deleteRenderbuffer(R.__webglDepthRenderbuffer)}const oe=H.textures;for(let ge=0,Me=oe.length;ge<Me;ge++){const he=n.get(oe[ge]);he.__webglTexture&&(i.deleteTexture(he.__webglTexture),a.memory.textures--),n.remove(oe[ge])}n.remove(H)}let E=0;function v(){E=0}function L(){const H=E;return H>=s.maxTextures&&console.warn("THREE.WebGLTextures: Trying to use "+H+" texture units while this GPU supports only "+s.maxTextures),E+=1,H}function z(H){const R=[];return R.push(H.wrapS),R.push(H.wrapT),R.push(H.wrapR||0),R.push(H.magFilter),R.push(H.minFilter),R.push(H.anisotropy),R.push(H.internalFormat),R.push(H.format),R.push(H.type),R.push(H.generateMipmaps),R.push(H.premultiplyAlpha),R.push(H.flipY),R.push(H.unpackAlignment),R.push(H.colorSpace),R.join()}function I(H,R){const oe=n.get(H);if(H.isVideoTexture&&Re(H),H.isRenderTargetTexture===!1&&H.version>0&&oe.__version!==H.version){const ge=H.image;if(ge===null)console.warn("THREE.WebGLRenderer: Texture marked for update but no image data found.");else if(ge.complete===!1)console.warn("THREE.WebGLRenderer: Texture marked for update but image is incomplete");else{O(oe,H,R);return}}t.bindTexture(i.TEXTURE_2D,oe.__webglTexture,i.TEXTURE0+R)}function K(H,R){const oe=n.get(H);if(H.version>0&&oe.__version!==H.version){O(oe,H,R);return}t.bindTexture(i.TEXTURE_2D_ARRAY,oe.__webglTexture,i.TEXTURE0+R)}function q(H,R){const oe=n.get(H);if(H.version>0&&oe.__version!==H.version){O(oe,H,R);return}t.bindTexture(i.TEXTURE_3D,oe.__webglTexture,i.TEXTURE0+R)}function te(H,R){const oe=n.get(H);if(H.version>0&&oe.__version!==H.version){B(oe,H,R);return}t.bindTexture(i.TEXTURE_CUBE_MAP,oe.__webglTexture,i.TEXTURE0+R)}const ie={[Yl]:i.REPEAT,[Es]:i.CLAMP_TO_EDGE,[ql]:i.MIRRORED_REPEAT},ne={[Ln]:i.NEAREST,[Hm]:i.NEAREST_MIPMAP_NEAREST,[va]:i.NEAREST_MIPMAP_LINEAR,[hi]:i.LINEAR,[Wo]:i.LINEAR_MIPMAP_NEAREST,[bs]:i.LINEAR_MIPMAP_LINEAR},fe={[ng]:i.NEVER,[lg]:i.ALWAYS,[ig]:i.LESS,[fd]:i.LEQUAL,[sg]:i.EQUAL,[og]:i.GEQUAL,[rg]:i.GREATER,[ag]:i.NOTEQUAL};function G(H,R){if(R.type===es&&e.has("OES_texture_float_linear")===!1&&(R.magFilter===hi||R.magFilter===Wo||R.magFilter===va||R.magFilter===bs||R.minFilter===hi||R.minFilter===Wo||R.minFilter===va||R.minFilter===bs)&&console.warn("THREE.WebGLRenderer: Unable to use linear filtering with floating point textures. OES_texture_float_linear not supported on this device."),i.texParameteri(H,i.TEXTURE_WRAP_S,ie[R.wrapS]),i.texParameteri(H,i.TEXTURE_WRAP_T,ie[R.wrapT]),(H===i.TEXTURE_3D||H===i.TEXTURE_2D_ARRAY)&&i.texParameteri(H,i.TEXTURE_WRAP_R,ie[R.wrapR]),i.texParameteri(H,i.TEXTURE_MAG_FILTER,ne[R.magFilter]),i.texParameteri(H,i.TEXTURE_MIN_FILTER,ne[R.minFilter]),R.compareFunction&&(i.texParameteri(H,i.TEXTURE_COMPARE_MODE,i.COMPARE_REF_TO_TEXTURE),i.texParameteri(H,i.TEXTURE_COMPARE_FUNC,fe[R.compareFunction])),e.has("EXT_texture_filter_anisotropic")===!0){if(R.magFilter===Ln||R.minFilter!==va&&R.minFilter!==bs||R.type===es&&e.has("OES_texture_float_linear")===!1)return;if(R.anisotropy>1||n.get(R).__currentAnisotropy){const oe=e.get("EXT_texture_filter_anisotropic");i.texParameterf(H,oe.TEXTURE_MAX_ANISOTROPY_EXT,Math.min(R.anisotropy,s.getMaxAnisotropy())),n.get(R).__currentAnisotropy=R.anisotropy}}}function ce(H,R){let oe=!1;H.__webglInit===void 0&&(H.__webglInit=!0,R.addEventListener("dispose",w));const ge=R.source;let Me=f.get(ge);Me===void 0&&(Me={},f.set(ge,Me));const he=z(R);if(he!==H.__cacheKey){Me[he]===void 0&&(Me[he]={texture:i.createTexture(),usedTimes:0},a.memory.textures++,oe=!0),Me[he].usedTimes++;const me=Me[H.__cacheKey];me!==void 0&&(Me[H.__cacheKey].usedTimes--,me.usedTimes===0&&C(R)),H.__cacheKey=he,H.__webglTexture=Me[he].texture}return oe}function O(H,R,oe){let ge=i.TEXTURE_2D;(R.isDataArrayTexture||R.isCompressedArrayTexture)&&(ge=i.TEXTURE_2D_ARRAY),R.isData3DTexture&&(ge=i.TEXTURE_3D);const Me=ce(H,R),he=R.source;t.bindTexture(ge,H.__webglTexture,i.TEXTURE0+oe);const me=n.get(he);if(he.version!==me.__version||Me===!0){t.activeTexture(i.TEXTURE0+oe);const Se=vt.getPrimaries(vt.workingColorSpace),be=R.colorSpace===Qi?null:vt.getPrimaries(R.colorSpace),Ye=R.colorSpace===Qi||Se===be?i.NONE:i.BROWSER_DEFAULT_WEBGL;i.pixelStorei(i.UNPACK_FLIP_Y_WEBGL,R.flipY),i.pixelStorei(i.UNPACK_PREMULTIPLY_ALPHA_WEBGL,R.premultiplyAlpha),i.pixelStorei(i.UNPACK_ALIGNMENT,R.unpackAlignment),i.pixelStorei(i.UNPACK_COLORSPACE_CONVERSION_WEBGL,Ye);let Ae=x(R.image,!1,s.maxTextureSize);Ae=Ge(R,Ae);const ke=r.convert(R.format,R.colorSpace),et=r.convert(R.type);let Be=y(R.internalFormat,ke,et,R.colorSpace,R.isVideoTexture);G(ge,R);let Le;const Ve=R.mipmaps,qe=R.isVideoTexture!==!0,ft=me.__version===void 0||Me===!0,Je=he.dataReady,S=M(R,Ae);if(R.isDepthTexture)Be=i.DEPTH_COMPONENT16,R.type===es?Be=i.DEPTH_COMPONENT32F:R.type===Sr?Be=i.DEPTH_COMPONENT24:R.type===oa&&(Be=i.DEPTH24_STENCIL8),ft&&(qe?t.texStorage2D(i.TEXTURE_2D,1,Be,Ae.width,Ae.height):t.texImage2D(i.TEXTURE_2D,0,Be,Ae.width,Ae.height,0,ke,et,null));else if(R.isDataTexture)if(Ve.length>0){qe&&ft&&t.texStorage2D(i.TEXTURE_2D,S,Be,Ve[0].width,Ve[0].height);for(let Z=0,re=Ve.length;Z<re;Z++)Le=Ve[Z],qe?Je&&t.texSubImage2D(i.TEXTURE_2D,Z,0,0,Le.width,Le.height,ke,et,Le.data):t.texImage2D(i.TEXTURE_2D,Z,Be,Le.width,Le.height,0,ke,et,Le.data);R.generateMipmaps=!1}else qe?(ft&&t.texStorage2D(i.TEXTURE_2D,S,Be,Ae.width,Ae.height),Je&&t.texSubImage2D(i.TEXTURE_2D,0,0,0,Ae.width,Ae.height,ke,et,Ae.data)):t.texImage2D(i.TEXTURE_2D,0,Be,Ae.width,Ae.height,0,ke,et,Ae.data);else if(R.isCompressedTexture)if(R.isCompressedArrayTexture){qe&&ft&&t.texStorage3D(i.TEXTURE_2D_ARRAY,S,Be,Ve[0].width,Ve[0].height,Ae.depth);for(let Z=0,re=Ve.length;Z<re;Z++)Le=Ve[Z],R.format!==yi?ke!==null?qe?Je&&t.compressedTexSubImage3D(i.TEXTURE_2D_ARRAY,Z,0,0,0,Le.width,Le.height,Ae.depth,ke,Le.data,0,0):t.compressedTexImage3D(i.TEXTURE_2D_ARRAY,Z,Be,Le.width,Le.height,Ae.depth,0,Le.data,0,0):console.warn("THREE.WebGLRenderer: Attempt to load unsupported compressed texture format in .uploadTexture()"):qe?Je&&t.texSubImage3D(i.TEXTURE_2D_ARRAY,Z,0,0,0,Le.width,Le.height,Ae.depth,ke,et,Le.data):t.texImage3D(i.TEXTURE_2D_ARRAY,Z,Be,Le.width,Le.height,Ae.depth,0,ke,et,Le.data)}else{qe&&ft&&t.texStorage2D(i.TEXTURE_2D,S,Be,Ve[0].width,Ve[0].height);for(let Z=0,re=Ve.length;Z<re;Z++)Le=Ve[Z],R.format!==yi?ke!==null?qe?Je&&t.compressedTexSubImage2D(i.TEXTURE_2D,Z,0,0,Le.width,Le.height,ke,Le.data):t.compressedTexImage2D(i.TEXTURE_2D,Z,Be,Le.width,Le.height,0,Le.data):console.warn("THREE.WebGLRenderer: Attempt to load unsupported compressed texture format in .uploadTexture()"):qe?Je&&t.texSubImage2D(i.TEXTURE_2D,Z,0,0,Le.width,Le.height,ke,et,Le.data):t.texImage2D(i.TEXTURE_2D,Z,Be,Le.width,Le.height,0,ke,et,Le.data)}else if(R.isDataArrayTexture)qe?(ft&&t.texStorage3D(i.TEXTURE_2D_ARRAY,S,Be,Ae.width,Ae.height,Ae.depth),Je&&t.texSubImage3D(i.TEXTURE_2D_ARRAY,0,0,0,0,Ae.width,Ae.height,Ae.depth,ke,et,Ae.data)):t.texImage3D(i.TEXTURE_2D_ARRAY,0,Be,Ae.width,Ae.height,Ae.depth,0,ke,et,Ae.data);else if(R.isData3DTexture)qe?(ft&&t.texStorage3D(i.TEXTURE_3D,S,Be,Ae.width,Ae.height,Ae.depth),Je&&t.texSubImage3D(i.TEXTURE_3D,0,0,0,0,Ae.width,Ae.height,Ae.depth,ke,et,Ae.data)):t.texImage3D(i.TEXTURE_3D,0,Be,Ae.width,Ae.height,Ae.depth,0,ke,et,Ae.data);else if(R.isFramebufferTexture){if(ft)if(qe)t.texStorage2D(i.TEXTURE_2D,S,Be,Ae.width,Ae.height);else{let Z=Ae.width,re=Ae.height;for(let ve=0;ve<S;ve++)t.texImage2D(i.TEXTURE_2D,ve,Be,Z,re,0,ke,et,null),Z>>=1,re>>=1}}else if(Ve.length>0){if(qe&&ft){const Z=ht(Ve[0]);t.texStorage2D(i.TEXTURE_2D,S,Be,Z.width,Z.height)}for(let Z=0,re=Ve.length;Z<re;Z++)Le=Ve[Z],qe?Je&&t.texSubImage2D(i.TEXTURE_2D,Z,0,0,ke,et,Le):t.texImage2D(i.TEXTURE_2D,Z,Be,ke,et,Le);R.generateMipmaps=!1}else if(qe){if(ft){const Z=ht(Ae);t.texStorage2D(i.TEXTURE_2D,S,Be,Z.width,Z.height)}Je&&t.texSubImage2D(i.TEXTURE_2D,0,0,0,ke,et,Ae)}else t.texImage2D(i.TEXTURE_2D,0,Be,ke,et,Ae);m(R)&&d(ge),me.__version=he.version,R.onUpdate&&R.onUpdate(R)}H.__version=R.version}function B(H,R,oe){if(R.image.length!==6)return;const ge=ce(H,R),Me=R.source;t.bindTexture(i.TEXTURE_CUBE_MAP,H.__webglTexture,i.TEXTURE0+oe);const he=n.get(Me);if(Me.version!==he.__version||ge===!0){t.activeTexture(i.TEXTURE0+oe);const me=vt.getPrimaries(vt.workingColorSpace),Se=R.colorSpace===Qi?null:vt.getPrimaries(R.colorSpace),be=R.colorSpace===Qi||me===Se?i.NONE:i.BROWSER_DEFAULT_WEBGL;i.pixelStorei(i.UNPACK_FLIP_Y_WEBGL,R.flipY),i.pixelStorei(i.UNPACK_PREMULTIPLY_ALPHA_WEBGL,R.premultiplyAlpha),i.pixelStorei(i.UNPACK_ALIGNMENT,R.unpackAlignment),i.pixelStorei(i.UNPACK_COLORSPACE_CONVERSION_WEBGL,be);const Ye=R.isCompressedTexture||R.image[0].isCompressedTexture,Ae=R.image[0]&&R.image[0].isDataTexture,ke=[];for(let re=0;re<6;re++)!Ye&&!Ae?ke[re]=x(R.image[re],!0,s.maxCubemapSize):ke[re]=Ae?R.image[re].image:R.image[re],ke[re]=Ge(R,ke[re]);const et=ke[0],Be=r.convert(R.format,R.colorSpace),Le=r.convert(R.type),Ve=y(R.internalFormat,Be,Le,R.colorSpace),qe=R.isVideoTexture!==!0,ft=he.__version===void 0||ge===!0,Je=Me.dataReady;let S=M(R,et);G(i.TEXTURE_CUBE_MAP,R);let Z;if(Ye){qe&&ft&&t.texStorage2D(i.TEXTURE_CUBE_MAP,S,Ve,et.width,et.height);for(let re=0;re<6;re++){Z=ke[re].mipmaps;for(let ve=0;ve<Z.length;ve++){const Pe=Z[ve];R.format!==yi?Be!==null?qe?Je&&t.compressedTexSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ve,0,0,Pe.width,Pe.height,Be,Pe.data):t.compressedTexImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ve,Ve,Pe.width,Pe.height,0,Pe.data):console.warn("THREE.WebGLRenderer: Attempt to load unsupported compressed texture format in .setTextureCube()"):qe?Je&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ve,0,0,Pe.width,Pe.height,Be,Le,Pe.data):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ve,Ve,Pe.width,Pe.height,0,Be,Le,Pe.data)}}}else{if(Z=R.mipmaps,qe&&ft){Z.length>0&&S++;const re=ht(ke[0]);t.texStorage2D(i.TEXTURE_CUBE_MAP,S,Ve,re.width,re.height)}for(let re=0;re<6;re++)if(Ae){qe?Je&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,0,0,0,ke[re].width,ke[re].height,Be,Le,ke[re].data):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,0,Ve,ke[re].width,ke[re].height,0,Be,Le,ke[re].data);for(let ve=0;ve<Z.length;ve++){const tt=Z[ve].image[re].image;qe?Je&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ve+1,0,0,tt.width,tt.height,Be,Le,tt.data):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ve+1,Ve,tt.width,tt.height,0,Be,Le,tt.data)}}else{qe?Je&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,0,0,0,Be,Le,ke[re]):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,0,Ve,Be,Le,ke[re]);for(let ve=0;ve<Z.length;ve++){const Pe=Z[ve];qe?Je&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ve+1,0,0,Be,Le,Pe.image[re]):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ve+1,Ve,Be,Le,Pe.image[re])}}}m(R)&&d(i.TEXTURE_CUBE_MAP),he.__version=Me.version,R.onUpdate&&R.onUpdate(R)}H.__version=R.version}function U(H,R,oe,ge,Me,he){const me=r.convert(oe.format,oe.colorSpace),Se=r.convert(oe.type),be=y(oe.internalFormat,me,Se,oe.colorSpace);if(!n.get(R).__hasExternalTextures){const Ae=Math.max(1,R.width>>he),ke=Math.max(1,R.height>>he);Me===i.TEXTURE_3D||Me===i.TEXTURE_2D_ARRAY?t.texImage3D(Me,he,be,Ae,ke,R.depth,0,me,Se,null):t.texImage2D(Me,he,be,Ae,ke,0,me,Se,null)}t.bindFramebuffer(i.FRAMEBUFFER,H),we(R)?o.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,ge,Me,n.get(oe).__webglTexture,0,xe(R)):(Me===i.TEXTURE_2D||Me>=i.TEXTURE_CUBE_MAP_POSITIVE_X&&Me<=i.TEXTURE_CUBE_MAP_NEGATIVE_Z)&&i.framebufferTexture2D(i.FRAMEBUFFER,ge,Me,n.get(oe).__webglTexture,he),t.bindFramebuffer(i.FRAMEBUFFER,null)}function W(H,R,oe){if(i.bindRenderbuffer(i.RENDERBUFFER,H),R.depthBuffer&&!R.stencilBuffer){let ge=i.DEPTH_COMPONENT24;if(oe||we(R)){const Me=R.depthTexture;Me&&Me.isDepthTexture&&(Me.type===es?ge=i.DEPTH_COMPONENT32F:Me.type===Sr&&(ge=i.DEPTH_COMPONENT24));const he=xe(R);we(R)?o.renderbufferStorageMultisampleEXT(i.RENDERBUFFER,he,ge,R.width,R.height):i.renderbufferStorageMultisample(i.RENDERBUFFER,he,ge,R.width,R.height)}else i.renderbufferStorage(i.RENDERBUFFER,ge,R.width,R.height);i.framebufferRenderbuffer(i.FRAMEBUFFER,i.DEPTH_ATTACHMENT,i.RENDERBUFFER,H)}else if(R.depthBuffer&&R.stencilBuffer){const ge=xe(R);oe&&we(R)===!1?i.renderbufferStorageMultisample(i.RENDERBUFFER,ge,i.DEPTH24_STENCIL8,R.width,R.height):we(R)?o.renderbufferStorageMultisampleEXT(i.RENDERBUFFER,ge,i.DEPTH24_STENCIL8,R.width,R.height):i.renderbufferStorage(i.RENDERBUFFER,i.DEPTH_STENCIL,R.width,R.height),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.DEPTH_STENCIL_ATTACHMENT,i.RENDERBUFFER,H)}else{const ge=R.textures;for(let Me=0;Me<ge.length;Me++){const he=ge[Me],me=r.convert(he.format,he.colorSpace),Se=r.convert(he.type),be=y(he.internalFormat,me,Se,he.colorSpace),Ye=xe(R);oe&&we(R)===!1?i.renderbufferStorageMultisample(i.RENDERBUFFER,Ye,be,R.width,R.height):we(R)?o.renderbufferStorageMultisampleEXT(i.RENDERBUFFER,Ye,be,R.width,R.height):i.renderbufferStorage(i.RENDERBUFFER,be,R.width,R.height)}}i.bindRenderbuffer(i.RENDERBUFFER,null)}function J(H,R){if(R&&R.isWebGLCubeRenderTarget)throw new Error("Depth Texture with cube render targets is not supported");if(t.bindFramebuffer(i.FRAMEBUFFER,H),!(R.depthTexture&&R.depthTexture.isDepthTexture))throw new Error("renderTarget.depthTexture must be an instance of THREE.DepthTexture");(!n.get(R.depthTexture).__webglTexture||R.depthTexture.image.width!==R.width||R.depthTexture.image.height!==R.height)&&(R.depthTexture.image.width=R.width,R.depthTexture.image.height=R.height,R.depthTexture.needsUpdate=!0),I(R.depthTexture,0);const ge=n.get(R.depthTexture).__webglTexture,Me=xe(R);if(R.depthTexture.format===mr)we(R)?o.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,i.DEPTH_ATTACHMENT,i.TEXTURE_2D,ge,0,Me):i.framebufferTexture2D(i.FRAMEBUFFER,i.DEPTH_ATTACHMENT,i.TEXTURE_2D,ge,0);else if(R.depthTexture.format===ta)we(R)?o.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,i.DEPTH_STENCIL_ATTACHMENT,i.TEXTURE_2D,ge,0,Me):i.framebufferTexture2D(i.FRAMEBUFFER,i.DEPTH_STENCIL_ATTACHMENT,i.TEXTURE_2D,ge,0);else throw new Error("Unknown depthTexture format")}function Q(H){const R=n.get(H),oe=H.isWebGLCubeRenderTarget===!0;if(H.depthTexture&&!R.__autoAllocateDepthBuffer){if(oe)throw new Error("target.depthTexture not supported in Cube render targets");J(R.__webglFramebuffer,H)}else if(oe){R.__webglDepthbuffer=[];for(let ge=0;ge<6;ge++)t.bindFramebuffer(i.FRAMEBUFFER,R.__webglFramebuffer[ge]),R.__webglDepthbuffer[ge]=i.createRenderbuffer(),W(R.__webglDepthbuffer[ge],H,!1)}else t.bindFramebuffer(i.FRAMEBUFFER,R.__webglFramebuffer),R.__webglDepthbuffer=i.createRenderbuffer(),W(R.__webglDepthbuffer,H,!1);t.bindFramebuffer(i.FRAMEBUFFER,null)}function j(H,R,oe){const ge=n.get(H);R!==void 0&&U(ge.__webglFramebuffer,H,H.texture,i.COLOR_ATTACHMENT0,i.TEXTURE_2D,0),oe!==void 0&&Q(H)}function X(H){const R=H.texture,oe=n.get(H),ge=n.get(R);H.addEventListener("dispose",V);const Me=H.textures,he=H.isWebGLCubeRenderTarget===!0,me=Me.length>1;if(me||(ge.__webglTexture===void 0&&(ge.__webglTexture=i.createTexture()),ge.__version=R.version,a.memory.textures++),he){oe.__webglFramebuffer=[];for(let Se=0;Se<6;Se++)if(R.mipmaps&&R.mipmaps.length>0){oe.__webglFramebuffer[Se]=[];for(let be=0;be<R.mipmaps.length;be++)oe.__webglFramebuffer[Se][be]=i.createFramebuffer()}else oe.__webglFramebuffer[Se]=i.createFramebuffer()}else{if(R.mipmaps&&R.mipmaps.length>0){oe.__webglFramebuffer=[];for(let Se=0;Se<R.mipmaps.length;Se++)oe.__webglFramebuffer[Se]=i.createFramebuffer()}else oe.__webglFramebuffer=i.createFramebuffer();if(me)for(let Se=0,be=Me.length;Se<be;Se++){const Ye=n.get(Me[Se]);Ye.__webglTexture===void 0&&(Ye.__webglTexture=i.createTexture(),a.memory.textures++)}if(H.samples>0&&we(H)===!1){oe.__webglMultisampledFramebuffer=i.createFramebuffer(),oe.__webglColorRenderbuffer=[],t.bindFramebuffer(i.FRAMEBUFFER,oe.__webglMultisampledFramebuffer);for(let Se=0;Se<Me.length;Se++){const be=Me[Se];oe.__webglColorRenderbuffer[Se]=i.createRenderbuffer(),i.bindRenderbuffer(i.RENDERBUFFER,oe.__webglColorRenderbuffer[Se]);const Ye=r.convert(be.format,be.colorSpace),Ae=r.convert(be.type),ke=y(be.internalFormat,Ye,Ae,be.colorSpace,H.isXRRenderTarget===!0),et=xe(H);i.renderbufferStorageMultisample(i.RENDERBUFFER,et,ke,H.width,H.height),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+Se,i.RENDERBUFFER,oe.__webglColorRenderbuffer[Se])}i.bindRenderbuffer(i.RENDERBUFFER,null),H.depthBuffer&&(oe.__webglDepthRenderbuffer=i.createRenderbuffer(),W(oe.__webglDepthRenderbuffer,H,!0)),t.bindFramebuffer(i.FRAMEBUFFER,null)}}if(he){t.bindTexture(i.TEXTURE_CUBE_MAP,ge.__webglTexture),G(i.TEXTURE_CUBE_MAP,R);for(let Se=0;Se<6;Se++)if(R.mipmaps&&R.mipmaps.length>0)for(let be=0;be<R.mipmaps.length;be++)U(oe.__webglFramebuffer[Se][be],H,R,i.COLOR_ATTACHMENT0,i.TEXTURE_CUBE_MAP_POSITIVE_X+Se,be);else U(oe.__webglFramebuffer[Se],H,R,i.COLOR_ATTACHMENT0,i.TEXTURE_CUBE_MAP_POSITIVE_X+Se,0);m(R)&&d(i.TEXTURE_CUBE_MAP),t.unbindTexture()}else if(me){for(let Se=0,be=Me.length;Se<be;Se++){const Ye=Me[Se],Ae=n.get(Ye);t.bindTexture(i.TEXTURE_2D,Ae.__webglTexture),G(i.TEXTURE_2D,Ye),U(oe.__webglFramebuffer,H,Ye,i.COLOR_ATTACHMENT0+Se,i.TEXTURE_2D,0),m(Ye)&&d(i.TEXTURE_2D)}t.unbindTexture()}else{let Se=i.TEXTURE_2D;if((H.isWebGL3DRenderTarget||H.isWebGLArrayRenderTarget)&&(Se=H.isWebGL3DRenderTarget?i.TEXTURE_3D:i.TEXTURE_2D_ARRAY),t.bindTexture(Se,ge.__webglTexture),G(Se,R),R.mipmaps&&R.mipmaps.length>0)for(let be=0;be<R.mipmaps.length;be++)U(oe.__webglFramebuffer[be],H,R,i.COLOR_ATTACHMENT0,Se,be);else U(oe.__webglFramebuffer,H,R,i.COLOR_ATTACHMENT0,Se,0);m(R)&&d(Se),t.unbindTexture()}H.depthBuffer&&Q(H)}function F(H){const R=H.textures;for(let oe=0,ge=R.length;oe<ge;oe++){const Me=R[oe];if(m(Me)){const he=H.isWebGLCubeRenderTarget?i.TEXTURE_CUBE_MAP:i.TEXTURE_2D,me=n.get(Me).__webglTexture;t.bindTexture(he,me),d(he),t.unbindTexture()}}}const pe=[],de=[];function Ee(H){if(H.samples>0){if(we(H)===!1){const R=H.textures,oe=H.width,ge=H.height;let Me=i.COLOR_BUFFER_BIT;const he=H.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT,me=n.get(H),Se=R.length>1;if(Se)for(let be=0;be<R.length;be++)t.bindFramebuffer(i.FRAMEBUFFER,me.__webglMultisampledFramebuffer),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+be,i.RENDERBUFFER,null),t.bindFramebuffer(i.FRAMEBUFFER,me.__webglFramebuffer),i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0+be,i.TEXTURE_2D,null,0);t.bindFramebuffer(i.READ_FRAMEBUFFER,me.__webglMultisampledFramebuffer),t.bindFramebuffer(i.DRAW_FRAMEBUFFER,me.__webglFramebuffer);for(let be=0;be<R.length;be++){if(H.resolveDepthBuffer&&(H.depthBuffer&&(Me|=i.DEPTH_BUFFER_BIT),H.stencilBuffer&&H.resolveStencilBuffer&&(Me|=i.STENCIL_BUFFER_BIT)),Se){i.framebufferRenderbuffer(i.READ_FRAMEBUFFER,i.COLOR_ATTACHMENT0,i.RENDERBUFFER,me.__webglColorRenderbuffer[be]);const Ye=n.get(R[be]).__webglTexture;i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0,i.TEXTURE_2D,Ye,0)}i.blitFramebuffer(0,0,oe,ge,0,0,oe,ge,Me,i.NEAREST),l===!0&&(pe.length=0,de.length=0,pe.push(i.COLOR_ATTACHMENT0+be),H.depthBuffer&&H.resolveDepthBuffer===!1&&(pe.push(he),de.push(he),i.invalidateFramebuffer(i.DRAW_FRAMEBUFFER,de)),i.invalidateFramebuffer(i.READ_FRAMEBUFFER,pe))}if(t.bindFramebuffer(i.READ_FRAMEBUFFER,null),t.bindFramebuffer(i.DRAW_FRAMEBUFFER,null),Se)for(let be=0;be<R.length;be++){t.bindFramebuffer(i.FRAMEBUFFER,me.__webglMultisampledFramebuffer),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+be,i.RENDERBUFFER,me.__webglColorRenderbuffer[be]);const Ye=n.get(R[be]).__webglTexture;t.bindFramebuffer(i.FRAMEBUFFER,me.__webglFramebuffer),i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0+be,i.TEXTURE_2D,Ye,0)}t.bindFramebuffer(i.DRAW_FRAMEBUFFER,me.__webglMultisampledFramebuffer)}else if(H.depthBuffer&&H.resolveDepthBuffer===!1&&l){const R=H.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT;i.invalidateFramebuffer(i.DRAW_FRAMEBUFFER,[R])}}}function xe(H){return Math.min(s.maxSamples,H.samples)}function we(H){const R=n.get(H);return H.samples>0&&e.has("WEBGL_multisampled_render_to_texture")===!0&&R.__useRenderToTexture!==!1}function Re(H){const R=a.render.frame;u.get(H)!==R&&(u.set(H,R),H.update())}function Ge(H,R){const oe=H.colorSpace,ge=H.format,Me=H.type;return H.isCompressedTexture===!0||H.isVideoTexture===!0||oe!==ki&&oe!==Qi&&(vt.getTransfer(oe)===Pt?(ge!==yi||Me!==ss)&&console.warn("THREE.WebGLTextures: sRGB encoded textures have to use RGBAFormat and UnsignedByteType."):console.error("THREE.WebGLTextures: Unsupported texture color space:",oe)),R}function ht(H){return typeof HTMLImageElement<"u"&&H instanceof HTMLImageElement?(c.width=H.naturalWidth||H.width,c.height=H.naturalHeight||H.height):typeof VideoFrame<"u"&&H instanceof VideoFrame?(c.width=H.displayWidth,c.height=H.displayHeight):(c.width=H.width,c.height=H.height),c}this.allocateTextureUnit=L,this.resetTextureUnits=v,this.setTexture2D=I,this.setTexture2DArray=K,this.setTexture3D=q,this.setTextureCube=te,this.rebindTextures=j,this.setupRenderTarget=X,this.updateRenderTargetMipmap=F,this.updateMultisampleRenderTarget=Ee,this.setupDepthRenderbuffer=Q,this.setupFrameBufferTexture=U,this.useMultisampledRTT=we}function hM(i,e){function t(n,s=Qi){let r;const a=vt.getTransfer(s);if(n===ss)return i.UNSIGNED_BYTE;if(n===od)return i.UNSIGNED_SHORT_4_4_4_4;if(n===ld)return i.UNSIGNED_SHORT_5_5_5_1;if(n===Wm)return i.UNSIGNED_INT_5_9_9_9_REV;if(n===Vm)return i.BYTE;if(n===Gm)return i.SHORT;if(n===rd)return i.UNSIGNED_SHORT;if(n===ad)return i.INT;if(n===Sr)return i.UNSIGNED_INT;if(n===es)return i.FLOAT;if(n===fo)return i.HALF_FLOAT;if(n===$m)return i.ALPHA;if(n===Xm)return i.RGB;if(n===yi)return i.RGBA;if(n===Ym)return i.LUMINANCE;if(n===qm)return i.LUMINANCE_ALPHA;if(n===mr)return i.DEPTH_COMPONENT;if(n===ta)return i.DEPTH_STENCIL;if(n===jm)return i.RED;if(n===cd)return i.RED_INTEGER;if(n===Km)return i.RG;if(n===ud)return i.RG_INTEGER;if(n===hd)return i.RGBA_INTEGER;if(n===$o||n===Xo||n===Yo||n===qo)if(a===Pt)if(r=e.get("WEBGL_compressed_texture_s3tc_srgb"),r!==null){if(n===$o)return r.COMPRESSED_SRGB_S3TC_DXT1_EXT;if(n===Xo)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT;if(n===Yo)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT;if(n===qo)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT}else return null;else if(r=e.get("WEBGL_compressed_texture_s3tc"),r!==null){if(n===$o)return r.COMPRESSED_RGB_S3TC_DXT1_EXT;if(n===Xo)return r.COMPRESSED_RGBA_S3TC_DXT1_EXT;if(n===Yo)return r.COMPRESSED_RGBA_S3TC_DXT3_EXT;if(n===qo)return r.COMPRESSED_RGBA_S3TC_DXT5_EXT}else return null;if(n===mu||n===gu||n===_u||n===vu)if(r=e.get("WEBGL_compressed_texture_pvrtc"),r!==null){if(n===mu)return r.COMPRESSED_RGB_PVRTC_4BPPV1_IMG;if(n===gu)return r.COMPRESSED_RGB_PVRTC_2BPPV1_IMG;if(n===_u)return r.COMPRESSED_RGBA_PVRTC_4BPPV1_IMG;if(n===vu)return r.COMPRESSED_RGBA_PVRTC_2BPPV1_IMG}else return null;if(n===xu||n===Mu||n===Su)if(r=e.get("WEBGL_compressed_texture_etc"),r!==null){if(n===xu||n===Mu)return a===Pt?r.COMPRESSED_SRGB8_ETC2:r.COMPRESSED_RGB8_ETC2;if(n===Su)return a===Pt?r.COMPRESSED_SRGB8_ALPHA8_ETC2_EAC:r.COMPRESSED_RGBA8_ETC2_EAC}else return null;if(n===yu||n===Eu||n===bu||n===wu||n===Tu||n===Au||n===Ru||n===Cu||n===Pu||n===Lu||n===Du||n===Uu||n===Iu||n===Nu)if(r=e.get("WEBGL_compressed_texture_astc"),r!==null){if(n===yu)return a===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR:r.COMPRESSED_RGBA_ASTC_4x4_KHR;if(n===Eu)return a===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_5x4_KHR:r.COMPRESSED_RGBA_ASTC_5x4_KHR;if(n===bu)return a===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_5x5_KHR:r.COMPRESSED_RGBA_ASTC_5x5_KHR;if(n===wu)return a===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_6x5_KHR:r.COMPRESSED_RGBA_ASTC_6x5_KHR;if(n===Tu)return a===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_6x6_KHR:r.COMPRESSED_RGBA_ASTC_6x6_KHR;if(n===Au)return a===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x5_KHR:r.COMPRESSED_RGBA_ASTC_8x5_KHR;if(n===Ru)return a===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x6_KHR:r.COMPRESSED_RGBA_ASTC_8x6_KHR;if(n===Cu)return a===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x8_KHR:r.COMPRESSED_RGBA_ASTC_8x8_KHR;if(n===Pu)return a===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x5_KHR:r.COMPRESSED_RGBA_ASTC_10x5_KHR;if(n===Lu)return a===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x6_KHR:r.COMPRESSED_RGBA_ASTC_10x6_KHR;if(n===Du)return a===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x8_KHR:r.COMPRESSED_RGBA_ASTC_10x8_KHR;if(n===Uu)return a===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x10_KHR:r.COMPRESSED_RGBA_ASTC_10x10_KHR;if(n===Iu)return a===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_12x10_KHR:r.COMPRESSED_RGBA_ASTC_12x10_KHR;if(n===Nu)return a===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_12x12_KHR:r.COMPRESSED_RGBA_ASTC_12x12_KHR}else return null;if(n===jo||n===Ou||n===Fu)if(r=e.get("EXT_texture_compression_bptc"),r!==null){if(n===jo)return a===Pt?r.COMPRESSED_SRGB_ALPHA_BPTC_UNORM_EXT:r.COMPRESSED_RGBA_BPTC_UNORM_EXT;if(n===Ou)return r.COMPRESSED_RGB_BPTC_SIGNED_FLOAT_EXT;if(n===Fu)return r.COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT_EXT}else return null;if(n===Zm||n===ku||n===Bu||n===zu)if(r=e.get("EXT_texture_compression_rgtc"),r!==null){if(n===jo)return r.COMPRESSED_RED_RGTC1_EXT;if(n===ku)return r.COMPRESSED_SIGNED_RED_RGTC1_EXT;if(n===Bu)return r.COMPRESSED_RED_GREEN_RGTC2_EXT;if(n===zu)return r.COMPRESSED_SIGNED_RED_GREEN_RGTC2_EXT}else return null;return n===oa?i.UNSIGNED_INT_24_8:i[n]!==void 0?i[n]:null}return{convert:t}}class fM extends Zn{constructor(e=[]){super(),this.isArrayCamera=!0,this.cameras=e}}class dr extends Hn{constructor(){super(),this.isGroup=!0,this.type="Group"}}const dM={type:"move"};class Sl{constructor(){this._targetRay=null,this._grip=null,this._hand=null}getHandSpace(){return this._hand===null&&(this._hand=new dr,this._hand.matrixAutoUpdate=!1,this._hand.visible=!1,this._hand.joints={},this._hand.inputState={pinching:!1}),this._hand}getTargetRaySpace(){return this._targetRay===null&&(this._targetRay=new dr,this._targetRay.matrixAutoUpdate=!1,this._targetRay.visible=!1,this._targetRay.hasLinearVelocity=!1,this._targetRay.linearVelocity=new Y,this._targetRay.hasAngularVelocity=!1,this._targetRay.angularVelocity=new Y),this._targetRay}getGripSpace(){return this._grip===null&&(this._grip=new dr,this._grip.matrixAutoUpdate=!1,this._grip.visible=!1,this._grip.hasLinearVelocity=!1,this._grip.linearVelocity=new Y,this._grip.hasAngularVelocity=!1,this._grip.angularVelocity=new Y),this._grip}dispatchEvent(e){return this._targetRay!==null&&this._targetRay.dispatchEvent(e),this._grip!==null&&this._grip.dispatchEvent(e),this._hand!==null&&this._hand.dispatchEvent(e),this}connect(e){if(e&&e.hand){const t=this._hand;if(t)for(const n of e.hand.values())this._getHandJoint(t,n)}return this.dispatchEvent({type:"connected",data:e}),this}disconnect(e){return this.dispatchEvent({type:"disconnected",data:e}),this._targetRay!==null&&(this._targetRay.visible=!1),this._grip!==null&&(this._grip.visible=!1),this._hand!==null&&(this._hand.visible=!1),this}update(e,t,n){let s=null,r=null,a=null;const o=this._targetRay,l=this._grip,c=this._hand;if(e&&t.session.visibilityState!=="visible-blurred"){if(c&&e.hand){a=!0;for(const x of e.hand.values()){const m=t.getJointPose(x,n),d=this._getHandJoint(c,x);m!==null&&(d.matrix.fromArray(m.transform.matrix),d.matrix.decompose(d.position,d.rotation,d.scale),d.matrixWorldNeedsUpdate=!0,d.jointRadius=m.radius),d.visible=m!==null}const u=c.joints["index-finger-tip"],h=c.joints["thumb-tip"],f=u.position.distanceTo(h.position),p=.02,_=.005;c.inputState.pinching&&f>p+_?(c.inputState.pinching=!1,this.dispatchEvent({type:"pinchend",handedness:e.handedness,target:this})):!c.inputState.pinching&&f<=p-_&&(c.inputState.pinching=!0,this.dispatchEvent({type:"pinchstart",handedness:e.handedness,target:this}))}else l!==null&&e.gripSpace&&(r=t.getPose(e.gripSpace,n),r!==null&&(l.matrix.fromArray(r.transform.matrix),l.matrix.decompose(l.position,l.rotation,l.scale),l.matrixWorldNeedsUpdate=!0,r.linearVelocity?(l.hasLinearVelocity=!0,l.linearVelocity.copy(r.linearVelocity)):l.hasLinearVelocity=!1,r.angularVelocity?(l.hasAngularVelocity=!0,l.angularVelocity.copy(r.angularVelocity)):l.hasAngularVelocity=!1));o!==null&&(s=t.getPose(e.targetRaySpace,n),s===null&&r!==null&&(s=r),s!==null&&(o.matrix.fromArray(s.transform.matrix),o.matrix.decompose(o.position,o.rotation,o.scale),o.matrixWorldNeedsUpdate=!0,s.linearVelocity?(o.hasLinearVelocity=!0,o.linearVelocity.copy(s.linearVelocity)):o.hasLinearVelocity=!1,s.angularVelocity?(o.hasAngularVelocity=!0,o.angularVelocity.copy(s.angularVelocity)):o.hasAngularVelocity=!1,this.dispatchEvent(dM)))}return o!==null&&(o.visible=s!==null),l!==null&&(l.visible=r!==null),c!==null&&(c.visible=a!==null),this}_getHandJoint(e,t){if(e.joints[t.jointName]===void 0){const n=new dr;n.matrixAutoUpdate=!1,n.visible=!1,e.joints[t.jointName]=n,e.add(n)}return e.joints[t.jointName]}}const pM=`
void main() {

	gl_Position = vec4( position, 1.0 );

}`,mM=`
uniform sampler2DArray depthColor;
uniform float depthWidth;
uniform float depthHeight;

void main() {

	vec2 coord = vec2( gl_FragCoord.x / depthWidth, gl_FragCoord.y / depthHeight );

	if ( coord.x >= 1.0 ) {

		gl_FragDepth = texture( depthColor, vec3( coord.x - 1.0, coord.y, 1 ) ).r;

	} else {

		gl_FragDepth = texture( depthColor, vec3( coord.x, coord.y, 0 ) ).r;

	}

}`;class gM{constructor(){this.texture=null,this.mesh=null,this.depthNear=0,this.depthFar=0}init(e,t,n){if(this.texture===null){const s=new Tn,r=e.properties.get(s);r.__webglTexture=t.texture,(t.depthNear!=n.depthNear||t.depthFar!=n.depthFar)&&(this.depthNear=t.depthNear,this.depthFar=t.depthFar),this.texture=s}}render(e,t){if(this.texture!==null){if(this.mesh===null){const n=t.cameras[0].viewport,s=new Ei({vertexShader:pM,fragmentShader:mM,uniforms:{depthColor:{value:this.texture},depthWidth:{value:n.z},depthHeight:{value:n.w}}});this.mesh=new Dn(new go(20,20),s)}e.render(this.mesh,t)}}reset(){this.texture=null,this.mesh=null}}class _M extends Ps{constructor(e,t){super();const n=this;let s=null,r=1,a=null,o="local-floor",l=1,c=null,u=null,h=null,f=null,p=null,_=null;const x=new gM,m=t.getContextAttributes();let d=null,y=null;const M=[],w=[],V=new ze;let T=null;const C=new Zn;C.layers.enable(1),C.viewport=new fn;const N=new Zn;N.layers.enable(2),N.viewport=new fn;const E=[C,N],v=new fM;v.layers.enable(1),v.layers.enable(2);let L=null,z=null;this.cameraAutoUpdate=!0,this.enabled=!1,this.isPresenting=!1,this.getController=function(U){let W=M[U];return W===void 0&&(W=new Sl,M[U]=W),W.getTargetRaySpace()},this.getControllerGrip=function(U){let W=M[U];return W===void 0&&(W=new Sl,M[U]=W),W.getGripSpace()},this.getHand=function(U){let W=M[U];return W===void 0&&(W=new Sl,M[U]=W),W.getHandSpace()};function I(U){const W=w.indexOf(U.inputSource);if(W===-1)return;const J=M[W];J!==void 0&&(J.update(U.inputSource,U.frame,c||a),J.dispatchEvent({type:U.type,data:U.inputSource}))}function K(){s.removeEventListener("select",I),s.removeEventListener("selectstart",I),s.removeEventListener("selectend",I),s.removeEventListener("squeeze",I),s.removeEventListener("squeezestart",I),s.removeEventListener("squeezeend",I),s.removeEventListener("end",K),s.removeEventListener("inputsourceschange",q);for(let U=0;U<M.length;U++){const W=w[U];W!==null&&(w[U]=null,M[U].disconnect(W))}L=null,z=null,x.reset(),e.setRenderTarget(d),p=null,f=null,h=null,s=null,y=null,B.stop(),n.isPresenting=!1,e.setPixelRatio(T),e.setSize(V.width,V.height,!1),n.dispatchEvent({type:"sessionend"})}this.setFramebufferScaleFactor=function(U){r=U,n.isPresenting===!0&&console.warn("THREE.WebXRManager: Cannot change framebuffer scale while presenting.")},this.setReferenceSpaceType=function(U){o=U,n.isPresenting===!0&&console.warn("THREE.WebXRManager: Cannot change reference space type while presenting.")},this.getReferenceSpace=function(){return c||a},this.setReferenceSpace=function(U){c=U},this.getBaseLayer=function(){return f!==null?f:p},this.getBinding=function(){return h},this.getFrame=function(){return _},this.getSession=function(){return s},this.setSession=async function(U){if(s=U,s!==null){if(d=e.getRenderTarget(),s.addEventListener("select",I),s.addEventListener("selectstart",I),s.addEventListener("selectend",I),s.addEventListener("squeeze",I),s.addEventListener("squeezestart",I),s.addEventListener("squeezeend",I),s.addEventListener("end",K),s.addEventListener("inputsourceschange",q),m.xrCompatible!==!0&&await t.makeXRCompatible(),T=e.getPixelRatio(),e.getSize(V),s.renderState.layers===void 0){const W={antialias:m.antialias,alpha:!0,depth:m.depth,stencil:m.stencil,framebufferScaleFactor:r};p=new XRWebGLLayer(s,t,W),s.updateRenderState({baseLayer:p}),e.setPixelRatio(1),e.setSize(p.framebufferWidth,p.framebufferHeight,!1),y=new As(p.framebufferWidth,p.framebufferHeight,{format:yi,type:ss,colorSpace:e.outputColorSpace,stencilBuffer:m.stencil})}else{let W=null,J=null,Q=null;m.depth&&(Q=m.stencil?t.DEPTH24_STENCIL8:t.DEPTH_COMPONENT24,W=m.stencil?ta:mr,J=m.stencil?oa:Sr);const j={colorFormat:t.RGBA8,depthFormat:Q,scaleFactor:r};h=new XRWebGLBinding(s,t),f=h.createProjectionLayer(j),s.updateRenderState({layers:[f]}),e.setPixelRatio(1),e.setSize(f.textureWidth,f.textureHeight,!1),y=new As(f.textureWidth,f.textureHeight,{format:yi,type:ss,depthTexture:new bd(f.textureWidth,f.textureHeight,J,void 0,void 0,void 0,void 0,void 0,void 0,W),stencilBuffer:m.stencil,colorSpace:e.outputColorSpace,samples:m.antialias?4:0,resolveDepthBuffer:f.ignoreDepthValues===!1})}y.isXRRenderTarget=!0,this.setFoveation(l),c=null,a=await s.requestReferenceSpace(o),B.setContext(s),B.start(),n.isPresenting=!0,n.dispatchEvent({type:"sessionstart"})}},this.getEnvironmentBlendMode=function(){if(s!==null)return s.environmentBlendMode};function q(U){for(let W=0;W<U.removed.length;W++){const J=U.removed[W],Q=w.indexOf(J);Q>=0&&(w[Q]=null,M[Q].disconnect(J))}for(let W=0;W<U.added.length;W++){const J=U.added[W];let Q=w.indexOf(J);if(Q===-1){for(let X=0;X<M.length;X++)if(X>=w.length){w.push(J),Q=X;break}else if(w[X]===null){w[X]=J,Q=X;break}if(Q===-1)break}const j=M[Q];j&&j.connect(J)}}const te=new Y,ie=new Y;function ne(U,W,J){te.setFromMatrixPosition(W.matrixWorld),ie.setFromMatrixPosition(J.matrixWorld);const Q=te.distanceTo(ie),j=W.projectionMatrix.elements,X=J.projectionMatrix.elements,F=j[14]/(j[10]-1),pe=j[14]/(j[10]+1),de=(j[9]+1)/j[5],Ee=(j[9]-1)/j[5],xe=(j[8]-1)/j[0],we=(X[8]+1)/X[0],Re=F*xe,Ge=F*we,ht=Q/(-xe+we),H=ht*-xe;W.matrixWorld.decompose(U.position,U.quaternion,U.scale),U.translateX(H),U.translateZ(ht),U.matrixWorld.compose(U.position,U.quaternion,U.scale),U.matrixWorldInverse.copy(U.matrixWorld).invert();const R=F+ht,oe=pe+ht,ge=Re-H,Me=Ge+(Q-H),he=de*pe/oe*R,me=Ee*pe/oe*R;U.projectionMatrix.makePerspective(ge,Me,he,me,R,oe),U.projectionMatrixInverse.copy(U.projectionMatrix).invert()}function fe(U,W){W===null?U.matrixWorld.copy(U.matrix):U.matrixWorld.multiplyMatrices(W.matrixWorld,U.matrix),U.matrixWorldInverse.copy(U.matrixWorld).invert()}this.updateCamera=function(U){if(s===null)return;x.texture!==null&&(U.near=x.depthNear,U.far=x.depthFar),v.near=N.near=C.near=U.near,v.far=N.far=C.far=U.far,(L!==v.near||z!==v.far)&&(s.updateRenderState({depthNear:v.near,depthFar:v.far}),L=v.near,z=v.far,C.near=L,C.far=z,N.near=L,N.far=z,C.updateProjectionMatrix(),N.updateProjectionMatrix(),U.updateProjectionMatrix());const W=U.parent,J=v.cameras;fe(v,W);for(let Q=0;Q<J.length;Q++)fe(J[Q],W);J.length===2?ne(v,C,N):v.projectionMatrix.copy(C.projectionMatrix),G(U,v,W)};function G(U,W,J){J===null?U.matrix.copy(W.matrixWorld):(U.matrix.copy(J.matrixWorld),U.matrix.invert(),U.matrix.multiply(W.matrixWorld)),U.matrix.decompose(U.position,U.quaternion,U.scale),U.updateMatrixWorld(!0),U.projectionMatrix.copy(W.projectionMatrix),U.projectionMatrixInverse.copy(W.projectionMatrixInverse),U.isPerspectiveCamera&&(U.fov=jl*2*Math.atan(1/U.projectionMatrix.elements[5]),U.zoom=1)}this.getCamera=function(){return v},this.getFoveation=function(){if(!(f===null&&p===null))return l},this.setFoveation=function(U){l=U,f!==null&&(f.fixedFoveation=U),p!==null&&p.fixedFoveation!==void 0&&(p.fixedFoveation=U)},this.hasDepthSensing=function(){return x.texture!==null};let ce=null;function O(U,W){if(u=W.getViewerPose(c||a),_=W,u!==null){const J=u.views;p!==null&&(e.setRenderTargetFramebuffer(y,p.framebuffer),e.setRenderTarget(y));let Q=!1;J.length!==v.cameras.length&&(v.cameras.length=0,Q=!0);for(let X=0;X<J.length;X++){const F=J[X];let pe=null;if(p!==null)pe=p.getViewport(F);else{const Ee=h.getViewSubImage(f,F);pe=Ee.viewport,X===0&&(e.setRenderTargetTextures(y,Ee.colorTexture,f.ignoreDepthValues?void 0:Ee.depthStencilTexture),e.setRenderTarget(y))}let de=E[X];de===void 0&&(de=new Zn,de.layers.enable(X),de.viewport=new fn,E[X]=de),de.matrix.fromArray(F.transform.matrix),de.matrix.decompose(de.position,de.quaternion,de.scale),de.projectionMatrix.fromArray(F.projectionMatrix),de.projectionMatrixInverse.copy(de.projectionMatrix).invert(),de.viewport.set(pe.x,pe.y,pe.width,pe.height),X===0&&(v.matrix.copy(de.matrix),v.matrix.decompose(v.position,v.quaternion,v.scale)),Q===!0&&v.cameras.push(de)}const j=s.enabledFeatures;if(j&&j.includes("depth-sensing")){const X=h.getDepthInformation(J[0]);X&&X.isValid&&X.texture&&x.init(e,X,s.renderState)}}for(let J=0;J<M.length;J++){const Q=w[J],j=M[J];Q!==null&&j!==void 0&&j.update(Q,W,c||a)}x.render(e,v),ce&&ce(U,W),W.detectedPlanes&&n.dispatchEvent({type:"planesdetected",data:W}),_=null}const B=new Ed;B.setAnimationLoop(O),this.setAnimationLoop=function(U){ce=U},this.dispose=function(){}}}const ps=new Fi,vM=new zt;function xM(i,e){function t(m,d){m.matrixAutoUpdate===!0&&m.updateMatrix(),d.value.copy(m.matrix)}function n(m,d){d.color.getRGB(m.fogColor.value,xd(i)),d.isFog?(m.fogNear.value=d.near,m.fogFar.value=d.far):d.isFogExp2&&(m.fogDensity.value=d.density)}function s(m,d,y,M,w){d.isMeshBasicMaterial||d.isMeshLambertMaterial?r(m,d):d.isMeshToonMaterial?(r(m,d),h(m,d)):d.isMeshPhongMaterial?(r(m,d),u(m,d)):d.isMeshStandardMaterial?(r(m,d),f(m,d),d.isMeshPhysicalMaterial&&p(m,d,w)):d.isMeshMatcapMaterial?(r(m,d),_(m,d)):d.isMeshDepthMaterial?r(m,d):d.isMeshDistanceMaterial?(r(m,d),x(m,d)):d.isMeshNormalMaterial?r(m,d):d.isLineBasicMaterial?(a(m,d),d.isLineDashedMaterial&&o(m,d)):d.isPointsMaterial?l(m,d,y,M):d.isSpriteMaterial?c(m,d):d.isShadowMaterial?(m.color.value.copy(d.color),m.opacity.value=d.opacity):d.isShaderMaterial&&(d.uniformsNeedUpdate=!1)}function r(m,d){m.opacity.value=d.opacity,d.color&&m.diffuse.value.copy(d.color),d.emissive&&m.emissive.value.copy(d.emissive).multiplyScalar(d.emissiveIntensity),d.map&&(m.map.value=d.map,t(d.map,m.mapTransform)),d.alphaMap&&(m.alphaMap.value=d.alphaMap,t(d.alphaMap,m.alphaMapTransform)),d.bumpMap&&(m.bumpMap.value=d.bumpMap,t(d.bumpMap,m.bumpMapTransform),m.bumpScale.value=d.bumpScale,d.side===Un&&(m.bumpScale.value*=-1)),d.normalMap&&(m.normalMap.value=d.normalMap,t(d.normalMap,m.normalMapTransform),m.normalScale.value.copy(d.normalScale),d.side===Un&&m.normalScale.value.negate()),d.displacementMap&&(m.displacementMap.value=d.displacementMap,t(d.displacementMap,m.displacementMapTransform),m.displacementScale.value=d.displacementScale,m.displacementBias.value=d.displacementBias),d.emissiveMap&&(m.emissiveMap.value=d.emissiveMap,t(d.emissiveMap,m.emissiveMapTransform)),d.specularMap&&(m.specularMap.value=d.specularMap,t(d.specularMap,m.specularMapTransform)),d.alphaTest>0&&(m.alphaTest.value=d.alphaTest);const y=e.get(d),M=y.envMap,w=y.envMapRotation;if(M&&(m.envMap.value=M,ps.copy(w),ps.x*=-1,ps.y*=-1,ps.z*=-1,M.isCubeTexture&&M.isRenderTargetTexture===!1&&(ps.y*=-1,ps.z*=-1),m.envMapRotation.value.setFromMatrix4(vM.makeRotationFromEuler(ps)),m.flipEnvMap.value=M.isCubeTexture&&M.isRenderTargetTexture===!1?-1:1,m.reflectivity.value=d.reflectivity,m.ior.value=d.ior,m.refractionRatio.value=d.refractionRatio),d.lightMap){m.lightMap.value=d.lightMap;const V=i._useLegacyLights===!0?Math.PI:1;m.lightMapIntensity.value=d.lightMapIntensity*V,t(d.lightMap,m.lightMapTransform)}d.aoMap&&(m.aoMap.value=d.aoMap,m.aoMapIntensity.value=d.aoMapIntensity,t(d.aoMap,m.aoMapTransform))}function a(m,d){m.diffuse.value.copy(d.color),m.opacity.value=d.opacity,d.map&&(m.map.value=d.map,t(d.map,m.mapTransform))}function o(m,d){m.dashSize.value=d.dashSize,m.totalSize.value=d.dashSize+d.gapSize,m.scale.value=d.scale}function l(m,d,y,M){m.diffuse.value.copy(d.color),m.opacity.value=d.opacity,m.size.value=d.size*y,m.scale.value=M*.5,d.map&&(m.map.value=d.map,t(d.map,m.uvTransform)),d.alphaMap&&(m.alphaMap.value=d.alphaMap,t(d.alphaMap,m.alphaMapTransform)),d.alphaTest>0&&(m.alphaTest.value=d.alphaTest)}function c(m,d){m.diffuse.value.copy(d.color),m.opacity.value=d.opacity,m.rotation.value=d.rotation,d.map&&(m.map.value=d.map,t(d.map,m.mapTransform)),d.alphaMap&&(m.alphaMap.value=d.alphaMap,t(d.alphaMap,m.alphaMapTransform)),d.alphaTest>0&&(m.alphaTest.value=d.alphaTest)}function u(m,d){m.specular.value.copy(d.specular),m.shininess.value=Math.max(d.shininess,1e-4)}function h(m,d){d.gradientMap&&(m.gradientMap.value=d.gradientMap)}function f(m,d){m.metalness.value=d.metalness,d.metalnessMap&&(m.metalnessMap.value=d.metalnessMap,t(d.metalnessMap,m.metalnessMapTransform)),m.roughness.value=d.roughness,d.roughnessMap&&(m.roughnessMap.value=d.roughnessMap,t(d.roughnessMap,m.roughnessMapTransform)),d.envMap&&(m.envMapIntensity.value=d.envMapIntensity)}function p(m,d,y){m.ior.value=d.ior,d.sheen>0&&(m.sheenColor.value.copy(d.sheenColor).multiplyScalar(d.sheen),m.sheenRoughness.value=d.sheenRoughness,d.sheenColorMap&&(m.sheenColorMap.value=d.sheenColorMap,t(d.sheenColorMap,m.sheenColorMapTransform)),d.sheenRoughnessMap&&(m.sheenRoughnessMap.value=d.sheenRoughnessMap,t(d.sheenRoughnessMap,m.sheenRoughnessMapTransform))),d.clearcoat>0&&(m.clearcoat.value=d.clearcoat,m.clearcoatRoughness.value=d.clearcoatRoughness,d.clearcoatMap&&(m.clearcoatMap.value=d.clearcoatMap,t(d.clearcoatMap,m.clearcoatMapTransform)),d.clearcoatRoughnessMap&&(m.clearcoatRoughnessMap.value=d.clearcoatRoughnessMap,t(d.clearcoatRoughnessMap,m.clearcoatRoughnessMapTransform)),d.clearcoatNormalMap&&(m.clearcoatNormalMap.value=d.clearcoatNormalMap,t(d.clearcoatNormalMap,m.clearcoatNormalMapTransform),m.clearcoatNormalScale.value.copy(d.clearcoatNormalScale),d.side===Un&&m.clearcoatNormalScale.value.negate())),d.dispersion>0&&(m.dispersion.value=d.dispersion),d.iridescence>0&&(m.iridescence.value=d.iridescence,m.iridescenceIOR.value=d.iridescenceIOR,m.iridescenceThicknessMinimum.value=d.iridescenceThicknessRange[0],m.iridescenceThicknessMaximum.value=d.iridescenceThicknessRange[1],d.iridescenceMap&&(m.iridescenceMap.value=d.iridescenceMap,t(d.iridescenceMap,m.iridescenceMapTransform)),d.iridescenceThicknessMap&&(m.iridescenceThicknessMap.value=d.iridescenceThicknessMap,t(d.iridescenceThicknessMap,m.iridescenceThicknessMapTransform))),d.transmission>0&&(m.transmission.value=d.transmission,m.transmissionSamplerMap.value=y.texture,m.transmissionSamplerSize.value.set(y.width,y.height),d.transmissionMap&&(m.transmissionMap.value=d.transmissionMap,t(d.transmissionMap,m.transmissionMapTransform)),m.thickness.value=d.thickness,d.thicknessMap&&(m.thicknessMap.value=d.thicknessMap,t(d.thicknessMap,m.thicknessMapTransform)),m.attenuationDistance.value=d.attenuationDistance,m.attenuationColor.value.copy(d.attenuationColor)),d.anisotropy>0&&(m.anisotropyVector.value.set(d.anisotropy*Math.cos(d.anisotropyRotation),d.anisotropy*Math.sin(d.anisotropyRotation)),d.anisotropyMap&&(m.anisotropyMap.value=d.anisotropyMap,t(d.anisotropyMap,m.anisotropyMapTransform))),m.specularIntensity.value=d.specularIntensity,m.specularColor.value.copy(d.specularColor),d.specularColorMap&&(m.specularColorMap.value=d.specularColorMap,t(d.specularColorMap,m.specularColorMapTransform)),d.specularIntensityMap&&(m.specularIntensityMap.value=d.specularIntensityMap,t(d.specularIntensityMap,m.specularIntensityMapTransform))}function _(m,d){d.matcap&&(m.matcap.value=d.matcap)}function x(m,d){const y=e.get(d).light;m.referencePosition.value.setFromMatrixPosition(y.matrixWorld),m.nearDistance.value=y.shadow.camera.near,m.farDistance.value=y.shadow.camera.far}return{refreshFogUniforms:n,refreshMaterialUniforms:s}}function MM(i,e,t,n){let s={},r={},a=[];const o=i.getParameter(i.MAX_UNIFORM_BUFFER_BINDINGS);function l(y,M){const w=M.program;n.uniformBlockBinding(y,w)}function c(y,M){let w=s[y.id];w===void 0&&(_(y),w=u(y),s[y.id]=w,y.addEventListener("dispose",m));const V=M.program;n.updateUBOMapping(y,V);const T=e.render.frame;r[y.id]!==T&&(f(y),r[y.id]=T)}function u(y){const M=h();y.__bindingPointIndex=M;const w=i.createBuffer(),V=y.__size,T=y.usage;return i.bindBuffer(i.UNIFORM_BUFFER,w),i.bufferData(i.UNIFORM_BUFFER,V,T),i.bindBuffer(i.UNIFORM_BUFFER,null),i.bindBufferBase(i.UNIFORM_BUFFER,M,w),w}function h(){for(let y=0;y<o;y++)if(a.indexOf(y)===-1)return a.push(y),y;return console.error("THREE.WebGLRenderer: Maximum number of simultaneously usable uniforms groups reached."),0}function f(y){const M=s[y.id],w=y.uniforms,V=y.__cache;i.bindBuffer(i.UNIFORM_BUFFER,M);for(let T=0,C=w.length;T<C;T++){const N=Array.isArray(w[T])?w[T]:[w[T]];for(let E=0,v=N.length;E<v;E++){const L=N[E];if(p(L,T,E,V)===!0){const z=L.__offset,I=Array.isArray(L.value)?L.value:[L.value];let K=0;for(let q=0;q<I.length;q++){const te=I[q],ie=x(te);typeof te=="number"||typeof te=="boolean"?(L.__data[0]=te,i.bufferSubData(i.UNIFORM_BUFFER,z+K,L.__data)):te.isMatrix3?(L.__data[0]=te.elements[0],L.__data[1]=te.elements[1],L.__data[2]=te.elements[2],L.__data[3]=0,L.__data[4]=te.elements[3],L.__data[5]=te.elements[4],L.__data[6]=te.elements[5],L.__data[7]=0,L.__data[8]=te.elements[6],L.__data[9]=te.elements[7],L.__data[10]=te.elements[8],L.__data[11]=0):(te.toArray(L.__data,K),K+=ie.storage/Float32Array.BYTES_PER_ELEMENT)}i.bufferSubData(i.UNIFORM_BUFFER,z,L.__data)}}}i.bindBuffer(i.UNIFORM_BUFFER,null)}function p(y,M,w,V){const T=y.value,C=M+"_"+w;if(V[C]===void 0)return typeof T=="number"||typeof T=="boolean"?V[C]=T:V[C]=T.clone(),!0;{const N=V[C];if(typeof T=="number"||typeof T=="boolean"){if(N!==T)return V[C]=T,!0}else if(N.equals(T)===!1)return N.copy(T),!0}return!1}function _(y){const M=y.uniforms;let w=0;const V=16;for(let C=0,N=M.length;C<N;C++){const E=Array.isArray(M[C])?M[C]:[M[C]];for(let v=0,L=E.length;v<L;v++){const z=E[v],I=Array.isArray(z.value)?z.value:[z.value];for(let K=0,q=I.length;K<q;K++){const te=I[K],ie=x(te),ne=w%V;ne!==0&&V-ne<ie.boundary&&(w+=V-ne),z.__data=new Float32Array(ie.storage/Float32Array.BYTES_PER_ELEMENT),z.__offset=w,w+=ie.storage}}}const T=w%V;return T>0&&(w+=V-T),y.__size=w,y.__cache={},this}function x(y){const M={boundary:0,storage:0};return typeof y=="number"||typeof y=="boolean"?(M.boundary=4,M.storage=4):y.isVector2?(M.boundary=8,M.storage=8):y.isVector3||y.isColor?(M.boundary=16,M.storage=12):y.isVector4?(M.boundary=16,M.storage=16):y.isMatrix3?(M.boundary=48,M.storage=48):y.isMatrix4?(M.boundary=64,M.storage=64):y.isTexture?console.warn("THREE.WebGLRenderer: Texture samplers can not be part of an uniforms group."):console.warn("THREE.WebGLRenderer: Unsupported uniform value type.",y),M}function m(y){const M=y.target;M.removeEventListener("dispose",m);const w=a.indexOf(M.__bindingPointIndex);a.splice(w,1),i.deleteBuffer(s[M.id]),delete s[M.id],delete r[M.id]}function d(){for(const y in s)i.deleteBuffer(s[y]);a=[],s={},r={}}return{bind:l,update:c,dispose:d}}class SM{constructor(e={}){const{canvas:t=fg(),context:n=null,depth:s=!0,stencil:r=!1,alpha:a=!1,antialias:o=!1,premultipliedAlpha:l=!0,preserveDrawingBuffer:c=!1,powerPreference:u="default",failIfMajorPerformanceCaveat:h=!1}=e;this.isWebGLRenderer=!0;let f;if(n!==null){if(typeof WebGLRenderingContext<"u"&&n instanceof WebGLRenderingContext)throw new Error("THREE.WebGLRenderer: WebGL 1 is not supported since r163.");f=n.getContextAttributes().alpha}else f=a;const p=new Uint32Array(4),_=new Int32Array(4);let x=null,m=null;const d=[],y=[];this.domElement=t,this.debug={checkShaderErrors:!0,onShaderError:null},this.autoClear=!0,this.autoClearColor=!0,this.autoClearDepth=!0,this.autoClearStencil=!0,this.sortObjects=!0,this.clippingPlanes=[],this.localClippingEnabled=!1,this._outputColorSpace=xi,this._useLegacyLights=!1,this.toneMapping=ns,this.toneMappingExposure=1;const M=this;let w=!1,V=0,T=0,C=null,N=-1,E=null;const v=new fn,L=new fn;let z=null;const I=new St(0);let K=0,q=t.width,te=t.height,ie=1,ne=null,fe=null;const G=new fn(0,0,q,te),ce=new fn(0,0,q,te);let O=!1;const B=new yd;let U=!1,W=!1;const J=new zt,Q=new Y,j={background:null,fog:null,environment:null,overrideMaterial:null,isScene:!0};function X(){return C===null?ie:1}let F=n;function pe(P,ee){return t.getContext(P,ee)}try{const P={alpha:!0,depth:s,stencil:r,antialias:o,premultipliedAlpha:l,preserveDrawingBuffer:c,powerPreference:u,failIfMajorPerformanceCaveat:h};if("setAttribute"in t&&t.setAttribute("data-engine",`three.js r${dc}`),t.addEventListener("webglcontextlost",S,!1),t.addEventListener("webglcontextrestored",Z,!1),t.addEventListener("webglcontextcreationerror",re,!1),F===null){const ee="webgl2";if(F=pe(ee,P),F===null)throw pe(ee)?new Error("Error creating WebGL context with your selected attributes."):new Error("Error creating WebGL context.")}}catch(P){throw console.error("THREE.WebGLRenderer: "+P.message),P}let de,Ee,xe,we,Re,Ge,ht,H,R,oe,ge,Me,he,me,Se,be,Ye,Ae,ke,et,Be,Le,Ve,qe;function ft(){de=new Cv(F),de.init(),Le=new hM(F,de),Ee=new yv(F,de,e,Le),xe=new cM(F),we=new Dv(F),Re=new jx,Ge=new uM(F,de,xe,Re,Ee,Le,we),ht=new bv(M),H=new Rv(M),R=new kg(F),Ve=new Mv(F,R),oe=new Pv(F,R,we,Ve),ge=new Iv(F,oe,R,we),ke=new Uv(F,Ee,Ge),be=new Ev(Re),Me=new qx(M,ht,H,de,Ee,Ve,be),he=new xM(M,Re),me=new Zx,Se=new iM(de),Ae=new xv(M,ht,H,xe,ge,f,l),Ye=new lM(M,ge,Ee),qe=new MM(F,we,Ee,xe),et=new Sv(F,de,we),Be=new Lv(F,de,we),we.programs=Me.programs,M.capabilities=Ee,M.extensions=de,M.properties=Re,M.renderLists=me,M.shadowMap=Ye,M.state=xe,M.info=we}ft();const Je=new _M(M,F);this.xr=Je,this.getContext=function(){return F},this.getContextAttributes=function(){return F.getContextAttributes()},this.forceContextLoss=function(){const P=de.get("WEBGL_lose_context");P&&P.loseContext()},this.forceContextRestore=function(){const P=de.get("WEBGL_lose_context");P&&P.restoreContext()},this.getPixelRatio=function(){return ie},this.setPixelRatio=function(P){P!==void 0&&(ie=P,this.setSize(q,te,!1))},this.getSize=function(P){return P.set(q,te)},this.setSize=function(P,ee,ue=!0){if(Je.isPresenting){console.warn("THREE.WebGLRenderer: Can't change size while VR device is presenting.");return}q=P,te=ee,t.width=Math.floor(P*ie),t.height=Math.floor(ee*ie),ue===!0&&(t.style.width=P+"px",t.style.height=ee+"px"),this.setViewport(0,0,P,ee)},this.getDrawingBufferSize=function(P){return P.set(q*ie,te*ie).floor()},this.setDrawingBufferSize=function(P,ee,ue){q=P,te=ee,ie=ue,t.width=Math.floor(P*ue),t.height=Math.floor(ee*ue),this.setViewport(0,0,P,ee)},this.getCurrentViewport=function(P){return P.copy(v)},this.getViewport=function(P){return P.copy(G)},this.setViewport=function(P,ee,ue,le){P.isVector4?G.set(P.x,P.y,P.z,P.w):G.set(P,ee,ue,le),xe.viewport(v.copy(G).multiplyScalar(ie).round())},this.getScissor=function(P){return P.copy(ce)},this.setScissor=function(P,ee,ue,le){P.isVector4?ce.set(P.x,P.y,P.z,P.w):ce.set(P,ee,ue,le),xe.scissor(L.copy(ce).multiplyScalar(ie).round())},this.getScissorTest=function(){return O},this.setScissorTest=function(P){xe.setScissorTest(O=P)},this.setOpaqueSort=function(P){ne=P},this.setTransparentSort=function(P){fe=P},this.getClearColor=function(P){return P.copy(Ae.getClearColor())},this.setClearColor=function(){Ae.setClearColor.apply(Ae,arguments)},this.getClearAlpha=function(){return Ae.getClearAlpha()},this.setClearAlpha=function(){Ae.setClearAlpha.apply(Ae,arguments)},this.clear=function(P=!0,ee=!0,ue=!0){let le=0;if(P){let ae=!1;if(C!==null){const Te=C.texture.format;ae=Te===hd||Te===ud||Te===cd}if(ae){const Te=C.texture.type,De=Te===ss||Te===Sr||Te===rd||Te===oa||Te===od||Te===ld,Ue=Ae.getClearColor(),$e=Ae.getClearAlpha(),We=Ue.r,Ke=Ue.g,nt=Ue.b;De?(p[0]=We,p[1]=Ke,p[2]=nt,p[3]=$e,F.clearBufferuiv(F.COLOR,0,p)):(_[0]=We,_[1]=Ke,_[2]=nt,_[3]=$e,F.clearBufferiv(F.COLOR,0,_))}else le|=F.COLOR_BUFFER_BIT}ee&&(le|=F.DEPTH_BUFFER_BIT),ue&&(le|=F.STENCIL_BUFFER_BIT,this.state.buffers.stencil.setMask(4294967295)),F.clear(le)},this.clearColor=function(){this.clear(!0,!1,!1)},this.clearDepth=function(){this.clear(!1,!0,!1)},this.clearStencil=function(){this.clear(!1,!1,!0)},this.dispose=function(){t.removeEventListener("webglcontextlost",S,!1),t.removeEventListener("webglcontextrestored",Z,!1),t.removeEventListener("webglcontextcreationerror",re,!1),me.dispose(),Se.dispose(),Re.dispose(),ht.dispose(),H.dispose(),ge.dispose(),Ve.dispose(),qe.dispose(),Me.dispose(),Je.dispose(),Je.removeEventListener("sessionstart",lt),Je.removeEventListener("sessionend",Nt),ut.stop()};function S(P){P.preventDefault(),console.log("THREE.WebGLRenderer: Context Lost."),w=!0}function Z(){console.log("THREE.WebGLRenderer: Context Restored."),w=!1;const P=we.autoReset,ee=Ye.enabled,ue=Ye.autoUpdate,le=Ye.needsUpdate,ae=Ye.type;ft(),we.autoReset=P,Ye.enabled=ee,Ye.autoUpdate=ue,Ye.needsUpdate=le,Ye.type=ae}function re(P){console.error("THREE.WebGLRenderer: A WebGL context could not be created. Reason: ",P.statusMessage)}function ve(P){const ee=P.target;ee.removeEventListener("dispose",ve),Pe(ee)}function Pe(P){tt(P),Re.remove(P)}function tt(P){const ee=Re.get(P).programs;ee!==void 0&&(ee.forEach(function(ue){Me.releaseProgram(ue)}),P.isShaderMaterial&&Me.releaseShaderCache(P))}this.renderBufferDirect=function(P,ee,ue,le,ae,Te){ee===null&&(ee=j);const De=ae.isMesh&&ae.matrixWorld.determinant()<0,Ue=ha(P,ee,ue,le,ae);xe.setMaterial(le,De);let $e=ue.index,We=1;if(le.wireframe===!0){if($e=oe.getWireframeAttribute(ue),$e===void 0)return;We=2}const Ke=ue.drawRange,nt=ue.attributes.position;let Dt=Ke.start*We,Bt=(Ke.start+Ke.count)*We;Te!==null&&(Dt=Math.max(Dt,Te.start*We),Bt=Math.min(Bt,(Te.start+Te.count)*We)),$e!==null?(Dt=Math.max(Dt,0),Bt=Math.min(Bt,$e.count)):nt!=null&&(Dt=Math.max(Dt,0),Bt=Math.min(Bt,nt.count));const Vt=Bt-Dt;if(Vt<0||Vt===1/0)return;Ve.setup(ae,le,Ue,ue,$e);let In,ct=et;if($e!==null&&(In=R.get($e),ct=Be,ct.setIndex(In)),ae.isMesh)le.wireframe===!0?(xe.setLineWidth(le.wireframeLinewidth*X()),ct.setMode(F.LINES)):ct.setMode(F.TRIANGLES);else if(ae.isLine){let Ze=le.linewidth;Ze===void 0&&(Ze=1),xe.setLineWidth(Ze*X()),ae.isLineSegments?ct.setMode(F.LINES):ae.isLineLoop?ct.setMode(F.LINE_LOOP):ct.setMode(F.LINE_STRIP)}else ae.isPoints?ct.setMode(F.POINTS):ae.isSprite&&ct.setMode(F.TRIANGLES);if(ae.isBatchedMesh)ae._multiDrawInstances!==null?ct.renderMultiDrawInstances(ae._multiDrawStarts,ae._multiDrawCounts,ae._multiDrawCount,ae._multiDrawInstances):ct.renderMultiDraw(ae._multiDrawStarts,ae._multiDrawCounts,ae._multiDrawCount);else if(ae.isInstancedMesh)ct.renderInstances(Dt,Vt,ae.count);else if(ue.isInstancedBufferGeometry){const Ze=ue._maxInstanceCount!==void 0?ue._maxInstanceCount:1/0,wi=Math.min(ue.instanceCount,Ze);ct.renderInstances(Dt,Vt,wi)}else ct.render(Dt,Vt)};function it(P,ee,ue){P.transparent===!0&&P.side===ui&&P.forceSinglePass===!1?(P.side=Un,P.needsUpdate=!0,ei(P,ee,ue),P.side=is,P.needsUpdate=!0,ei(P,ee,ue),P.side=ui):ei(P,ee,ue)}this.compile=function(P,ee,ue=null){ue===null&&(ue=P),m=Se.get(ue),m.init(ee),y.push(m),ue.traverseVisible(function(ae){ae.isLight&&ae.layers.test(ee.layers)&&(m.pushLight(ae),ae.castShadow&&m.pushShadow(ae))}),P!==ue&&P.traverseVisible(function(ae){ae.isLight&&ae.layers.test(ee.layers)&&(m.pushLight(ae),ae.castShadow&&m.pushShadow(ae))}),m.setupLights(M._useLegacyLights);const le=new Set;return P.traverse(function(ae){const Te=ae.material;if(Te)if(Array.isArray(Te))for(let De=0;De<Te.length;De++){const Ue=Te[De];it(Ue,ue,ae),le.add(Ue)}else it(Te,ue,ae),le.add(Te)}),y.pop(),m=null,le},this.compileAsync=function(P,ee,ue=null){const le=this.compile(P,ee,ue);return new Promise(ae=>{function Te(){if(le.forEach(function(De){Re.get(De).currentProgram.isReady()&&le.delete(De)}),le.size===0){ae(P);return}setTimeout(Te,10)}de.get("KHR_parallel_shader_compile")!==null?Te():setTimeout(Te,10)})};let bt=null;function Ht(P){bt&&bt(P)}function lt(){ut.stop()}function Nt(){ut.start()}const ut=new Ed;ut.setAnimationLoop(Ht),typeof self<"u"&&ut.setContext(self),this.setAnimationLoop=function(P){bt=P,Je.setAnimationLoop(P),P===null?ut.stop():ut.start()},Je.addEventListener("sessionstart",lt),Je.addEventListener("sessionend",Nt),this.render=function(P,ee){if(ee!==void 0&&ee.isCamera!==!0){console.error("THREE.WebGLRenderer.render: camera is not an instance of THREE.Camera.");return}if(w===!0)return;P.matrixWorldAutoUpdate===!0&&P.updateMatrixWorld(),ee.parent===null&&ee.matrixWorldAutoUpdate===!0&&ee.updateMatrixWorld(),Je.enabled===!0&&Je.isPresenting===!0&&(Je.cameraAutoUpdate===!0&&Je.updateCamera(ee),ee=Je.getCamera()),P.isScene===!0&&P.onBeforeRender(M,P,ee,C),m=Se.get(P,y.length),m.init(ee),y.push(m),J.multiplyMatrices(ee.projectionMatrix,ee.matrixWorldInverse),B.setFromProjectionMatrix(J),W=this.localClippingEnabled,U=be.init(this.clippingPlanes,W),x=me.get(P,d.length),x.init(),d.push(x),wt(P,ee,0,M.sortObjects),x.finish(),M.sortObjects===!0&&x.sort(ne,fe);const ue=Je.enabled===!1||Je.isPresenting===!1||Je.hasDepthSensing()===!1;ue&&Ae.addToRenderList(x,P),this.info.render.frame++,U===!0&&be.beginShadows();const le=m.state.shadowsArray;Ye.render(le,P,ee),U===!0&&be.endShadows(),this.info.autoReset===!0&&this.info.reset();const ae=x.opaque,Te=x.transmissive;if(m.setupLights(M._useLegacyLights),ee.isArrayCamera){const De=ee.cameras;if(Te.length>0)for(let Ue=0,$e=De.length;Ue<$e;Ue++){const We=De[Ue];xn(ae,Te,P,We)}ue&&Ae.render(P);for(let Ue=0,$e=De.length;Ue<$e;Ue++){const We=De[Ue];It(x,P,We,We.viewport)}}else Te.length>0&&xn(ae,Te,P,ee),ue&&Ae.render(P),It(x,P,ee);C!==null&&(Ge.updateMultisampleRenderTarget(C),Ge.updateRenderTargetMipmap(C)),P.isScene===!0&&P.onAfterRender(M,P,ee),Ve.resetDefaultState(),N=-1,E=null,y.pop(),y.length>0?(m=y[y.length-1],U===!0&&be.setGlobalState(M.clippingPlanes,m.state.camera)):m=null,d.pop(),d.length>0?x=d[d.length-1]:x=null};function wt(P,ee,ue,le){if(P.visible===!1)return;if(P.layers.test(ee.layers)){if(P.isGroup)ue=P.renderOrder;else if(P.isLOD)P.autoUpdate===!0&&P.update(ee);else if(P.isLight)m.pushLight(P),P.castShadow&&m.pushShadow(P);else if(P.isSprite){if(!P.frustumCulled||B.intersectsSprite(P)){le&&Q.setFromMatrixPosition(P.matrixWorld).applyMatrix4(J);const De=ge.update(P),Ue=P.material;Ue.visible&&x.push(P,De,Ue,ue,Q.z,null)}}else if((P.isMesh||P.isLine||P.isPoints)&&(!P.frustumCulled||B.intersectsObject(P))){const De=ge.update(P),Ue=P.material;if(le&&(P.boundingSphere!==void 0?(P.boundingSphere===null&&P.computeBoundingSphere(),Q.copy(P.boundingSphere.center)):(De.boundingSphere===null&&De.computeBoundingSphere(),Q.copy(De.boundingSphere.center)),Q.applyMatrix4(P.matrixWorld).applyMatrix4(J)),Array.isArray(Ue)){const $e=De.groups;for(let We=0,Ke=$e.length;We<Ke;We++){const nt=$e[We],Dt=Ue[nt.materialIndex];Dt&&Dt.visible&&x.push(P,De,Dt,ue,Q.z,nt)}}else Ue.visible&&x.push(P,De,Ue,ue,Q.z,null)}}const Te=P.children;for(let De=0,Ue=Te.length;De<Ue;De++)wt(Te[De],ee,ue,le)}function It(P,ee,ue,le){const ae=P.opaque,Te=P.transmissive,De=P.transparent;m.setupLightsView(ue),U===!0&&be.setGlobalState(M.clippingPlanes,ue),le&&xe.viewport(v.copy(le)),ae.length>0&&dn(ae,ee,ue),Te.length>0&&dn(Te,ee,ue),De.length>0&&dn(De,ee,ue),xe.buffers.depth.setTest(!0),xe.buffers.depth.setMask(!0),xe.buffers.color.setMask(!0),xe.setPolygonOffset(!1)}function xn(P,ee,ue,le){if((ue.isScene===!0?ue.overrideMaterial:null)!==null)return;m.state.transmissionRenderTarget[le.id]===void 0&&(m.state.transmissionRenderTarget[le.id]=new As(1,1,{generateMipmaps:!0,type:de.has("EXT_color_buffer_half_float")||de.has("EXT_color_buffer_float")?fo:ss,minFilter:bs,samples:4,stencilBuffer:r,resolveDepthBuffer:!1,resolveStencilBuffer:!1}));const Te=m.state.transmissionRenderTarget[le.id],De=le.viewport||v;Te.setSize(De.z,De.w);const Ue=M.getRenderTarget();M.setRenderTarget(Te),M.getClearColor(I),K=M.getClearAlpha(),K<1&&M.setClearColor(16777215,.5),M.clear();const $e=M.toneMapping;M.toneMapping=ns;const We=le.viewport;if(le.viewport!==void 0&&(le.viewport=void 0),m.setupLightsView(le),U===!0&&be.setGlobalState(M.clippingPlanes,le),dn(P,ue,le),Ge.updateMultisampleRenderTarget(Te),Ge.updateRenderTargetMipmap(Te),de.has("WEBGL_multisampled_render_to_texture")===!1){let Ke=!1;for(let nt=0,Dt=ee.length;nt<Dt;nt++){const Bt=ee[nt],Vt=Bt.object,In=Bt.geometry,ct=Bt.material,Ze=Bt.group;if(ct.side===ui&&Vt.layers.test(le.layers)){const wi=ct.side;ct.side=Un,ct.needsUpdate=!0,tn(Vt,ue,le,In,ct,Ze),ct.side=wi,ct.needsUpdate=!0,Ke=!0}}Ke===!0&&(Ge.updateMultisampleRenderTarget(Te),Ge.updateRenderTargetMipmap(Te))}M.setRenderTarget(Ue),M.setClearColor(I,K),We!==void 0&&(le.viewport=We),M.toneMapping=$e}function dn(P,ee,ue){const le=ee.isScene===!0?ee.overrideMaterial:null;for(let ae=0,Te=P.length;ae<Te;ae++){const De=P[ae],Ue=De.object,$e=De.geometry,We=le===null?De.material:le,Ke=De.group;Ue.layers.test(ue.layers)&&tn(Ue,ee,ue,$e,We,Ke)}}function tn(P,ee,ue,le,ae,Te){P.onBeforeRender(M,ee,ue,le,ae,Te),P.modelViewMatrix.multiplyMatrices(ue.matrixWorldInverse,P.matrixWorld),P.normalMatrix.getNormalMatrix(P.modelViewMatrix),ae.onBeforeRender(M,ee,ue,le,P,Te),ae.transparent===!0&&ae.side===ui&&ae.forceSinglePass===!1?(ae.side=Un,ae.needsUpdate=!0,M.renderBufferDirect(ue,ee,le,ae,P,Te),ae.side=is,ae.needsUpdate=!0,M.renderBufferDirect(ue,ee,le,ae,P,Te),ae.side=ui):M.renderBufferDirect(ue,ee,le,ae,P,Te),P.onAfterRender(M,ee,ue,le,ae,Te)}function ei(P,ee,ue){ee.isScene!==!0&&(ee=j);const le=Re.get(P),ae=m.state.lights,Te=m.state.shadowsArray,De=ae.state.version,Ue=Me.getParameters(P,ae.state,Te,ee,ue),$e=Me.getProgramCacheKey(Ue);let We=le.programs;le.environment=P.isMeshStandardMaterial?ee.environment:null,le.fog=ee.fog,le.envMap=(P.isMeshStandardMaterial?H:ht).get(P.envMap||le.environment),le.envMapRotation=le.environment!==null&&P.envMap===null?ee.environmentRotation:P.envMapRotation,We===void 0&&(P.addEventListener("dispose",ve),We=new Map,le.programs=We);let Ke=We.get($e);if(Ke!==void 0){if(le.currentProgram===Ke&&le.lightsStateVersion===De)return Lr(P,Ue),Ke}else Ue.uniforms=Me.getUniforms(P),P.onBuild(ue,Ue,M),P.onBeforeCompile(Ue,M),Ke=Me.acquireProgram(Ue,$e),We.set($e,Ke),le.uniforms=Ue.uniforms;const nt=le.uniforms;return(!P.isShaderMaterial&&!P.isRawShaderMaterial||P.clipping===!0)&&(nt.clippingPlanes=be.uniform),Lr(P,Ue),le.needsLights=Ro(P),le.lightsStateVersion=De,le.needsLights&&(nt.ambientLightColor.value=ae.state.ambient,nt.lightProbe.value=ae.state.probe,nt.directionalLights.value=ae.state.directional,nt.directionalLightShadows.value=ae.state.directionalShadow,nt.spotLights.value=ae.state.spot,nt.spotLightShadows.value=ae.state.spotShadow,nt.rectAreaLights.value=ae.state.rectArea,nt.ltc_1.value=ae.state.rectAreaLTC1,nt.ltc_2.value=ae.state.rectAreaLTC2,nt.pointLights.value=ae.state.point,nt.pointLightShadows.value=ae.state.pointShadow,nt.hemisphereLights.value=ae.state.hemi,nt.directionalShadowMap.value=ae.state.directionalShadowMap,nt.directionalShadowMatrix.value=ae.state.directionalShadowMatrix,nt.spotShadowMap.value=ae.state.spotShadowMap,nt.spotLightMatrix.value=ae.state.spotLightMatrix,nt.spotLightMap.value=ae.state.spotLightMap,nt.pointShadowMap.value=ae.state.pointShadowMap,nt.pointShadowMatrix.value=ae.state.pointShadowMatrix),le.currentProgram=Ke,le.uniformsList=null,Ke}function bi(P){if(P.uniformsList===null){const ee=P.currentProgram.getUniforms();P.uniformsList=qa.seqWithValue(ee.seq,P.uniforms)}return P.uniformsList}function Lr(P,ee){const ue=Re.get(P);ue.outputColorSpace=ee.outputColorSpace,ue.batching=ee.batching,ue.instancing=ee.instancing,ue.instancingColor=ee.instancingColor,ue.instancingMorph=ee.instancingMorph,ue.skinning=ee.skinning,ue.morphTargets=ee.morphTargets,ue.morphNormals=ee.morphNormals,ue.morphColors=ee.morphColors,ue.morphTargetsCount=ee.morphTargetsCount,ue.numClippingPlanes=ee.numClippingPlanes,ue.numIntersection=ee.numClipIntersection,ue.vertexAlphas=ee.vertexAlphas,ue.vertexTangents=ee.vertexTangents,ue.toneMapping=ee.toneMapping}function ha(P,ee,ue,le,ae){ee.isScene!==!0&&(ee=j),Ge.resetTextureUnits();const Te=ee.fog,De=le.isMeshStandardMaterial?ee.environment:null,Ue=C===null?M.outputColorSpace:C.isXRRenderTarget===!0?C.texture.colorSpace:ki,$e=(le.isMeshStandardMaterial?H:ht).get(le.envMap||De),We=le.vertexColors===!0&&!!ue.attributes.color&&ue.attributes.color.itemSize===4,Ke=!!ue.attributes.tangent&&(!!le.normalMap||le.anisotropy>0),nt=!!ue.morphAttributes.position,Dt=!!ue.morphAttributes.normal,Bt=!!ue.morphAttributes.color;let Vt=ns;le.toneMapped&&(C===null||C.isXRRenderTarget===!0)&&(Vt=M.toneMapping);const In=ue.morphAttributes.position||ue.morphAttributes.normal||ue.morphAttributes.color,ct=In!==void 0?In.length:0,Ze=Re.get(le),wi=m.state.lights;if(U===!0&&(W===!0||P!==E)){const Rn=P===E&&le.id===N;be.setState(le,P,Rn)}let xt=!1;le.version===Ze.__version?(Ze.needsLights&&Ze.lightsStateVersion!==wi.state.version||Ze.outputColorSpace!==Ue||ae.isBatchedMesh&&Ze.batching===!1||!ae.isBatchedMesh&&Ze.batching===!0||ae.isInstancedMesh&&Ze.instancing===!1||!ae.isInstancedMesh&&Ze.instancing===!0||ae.isSkinnedMesh&&Ze.skinning===!1||!ae.isSkinnedMesh&&Ze.skinning===!0||ae.isInstancedMesh&&Ze.instancingColor===!0&&ae.instanceColor===null||ae.isInstancedMesh&&Ze.instancingColor===!1&&ae.instanceColor!==null||ae.isInstancedMesh&&Ze.instancingMorph===!0&&ae.morphTexture===null||ae.isInstancedMesh&&Ze.instancingMorph===!1&&ae.morphTexture!==null||Ze.envMap!==$e||le.fog===!0&&Ze.fog!==Te||Ze.numClippingPlanes!==void 0&&(Ze.numClippingPlanes!==be.numPlanes||Ze.numIntersection!==be.numIntersection)||Ze.vertexAlphas!==We||Ze.vertexTangents!==Ke||Ze.morphTargets!==nt||Ze.morphNormals!==Dt||Ze.morphColors!==Bt||Ze.toneMapping!==Vt||Ze.morphTargetsCount!==ct)&&(xt=!0):(xt=!0,Ze.__version=le.version);let ti=Ze.currentProgram;xt===!0&&(ti=ei(le,ee,ae));let Ds=!1,Gt=!1,Us=!1;const Yt=ti.getUniforms(),$n=Ze.uniforms;if(xe.useProgram(ti.program)&&(Ds=!0,Gt=!0,Us=!0),le.id!==N&&(N=le.id,Gt=!0),Ds||E!==P){Yt.setValue(F,"projectionMatrix",P.projectionMatrix),Yt.setValue(F,"viewMatrix",P.matrixWorldInverse);const Rn=Yt.map.cameraPosition;Rn!==void 0&&Rn.setValue(F,Q.setFromMatrixPosition(P.matrixWorld)),Ee.logarithmicDepthBuffer&&Yt.setValue(F,"logDepthBufFC",2/(Math.log(P.far+1)/Math.LN2)),(le.isMeshPhongMaterial||le.isMeshToonMaterial||le.isMeshLambertMaterial||le.isMeshBasicMaterial||le.isMeshStandardMaterial||le.isShaderMaterial)&&Yt.setValue(F,"isOrthographic",P.isOrthographicCamera===!0),E!==P&&(E=P,Gt=!0,Us=!0)}if(ae.isSkinnedMesh){Yt.setOptional(F,ae,"bindMatrix"),Yt.setOptional(F,ae,"bindMatrixInverse");const Rn=ae.skeleton;Rn&&(Rn.boneTexture===null&&Rn.computeBoneTexture(),Yt.setValue(F,"boneTexture",Rn.boneTexture,Ge))}ae.isBatchedMesh&&(Yt.setOptional(F,ae,"batchingTexture"),Yt.setValue(F,"batchingTexture",ae._matricesTexture,Ge));const Is=ue.morphAttributes;if((Is.position!==void 0||Is.normal!==void 0||Is.color!==void 0)&&ke.update(ae,ue,ti),(Gt||Ze.receiveShadow!==ae.receiveShadow)&&(Ze.receiveShadow=ae.receiveShadow,Yt.setValue(F,"receiveShadow",ae.receiveShadow)),le.isMeshGouraudMaterial&&le.envMap!==null&&($n.envMap.value=$e,$n.flipEnvMap.value=$e.isCubeTexture&&$e.isRenderTargetTexture===!1?-1:1),le.isMeshStandardMaterial&&le.envMap===null&&ee.environment!==null&&($n.envMapIntensity.value=ee.environmentIntensity),Gt&&(Yt.setValue(F,"toneMappingExposure",M.toneMappingExposure),Ze.needsLights&&Ao($n,Us),Te&&le.fog===!0&&he.refreshFogUniforms($n,Te),he.refreshMaterialUniforms($n,le,ie,te,m.state.transmissionRenderTarget[P.id]),qa.upload(F,bi(Ze),$n,Ge)),le.isShaderMaterial&&le.uniformsNeedUpdate===!0&&(qa.upload(F,bi(Ze),$n,Ge),le.uniformsNeedUpdate=!1),le.isSpriteMaterial&&Yt.setValue(F,"center",ae.center),Yt.setValue(F,"modelViewMatrix",ae.modelViewMatrix),Yt.setValue(F,"normalMatrix",ae.normalMatrix),Yt.setValue(F,"modelMatrix",ae.matrixWorld),le.isShaderMaterial||le.isRawShaderMaterial){const Rn=le.uniformsGroups;for(let Dr=0,Co=Rn.length;Dr<Co;Dr++){const Ur=Rn[Dr];qe.update(Ur,ti),qe.bind(Ur,ti)}}return ti}function Ao(P,ee){P.ambientLightColor.needsUpdate=ee,P.lightProbe.needsUpdate=ee,P.directionalLights.needsUpdate=ee,P.directionalLightShadows.needsUpdate=ee,P.pointLights.needsUpdate=ee,P.pointLightShadows.needsUpdate=ee,P.spotLights.needsUpdate=ee,P.spotLightShadows.needsUpdate=ee,P.rectAreaLights.needsUpdate=ee,P.hemisphereLights.needsUpdate=ee}function Ro(P){return P.isMeshLambertMaterial||P.isMeshToonMaterial||P.isMeshPhongMaterial||P.isMeshStandardMaterial||P.isShadowMaterial||P.isShaderMaterial&&P.lights===!0}this.getActiveCubeFace=function(){return V},this.getActiveMipmapLevel=function(){return T},this.getRenderTarget=function(){return C},this.setRenderTargetTextures=function(P,ee,ue){Re.get(P.texture).__webglTexture=ee,Re.get(P.depthTexture).__webglTexture=ue;const le=Re.get(P);le.__hasExternalTextures=!0,le.__autoAllocateDepthBuffer=ue===void 0,le.__autoAllocateDepthBuffer||de.has("WEBGL_multisampled_render_to_texture")===!0&&(console.warn("THREE.WebGLRenderer: Render-to-texture extension was disabled because an external texture was provided"),le.__useRenderToTexture=!1)},this.setRenderTargetFramebuffer=function(P,ee){const ue=Re.get(P);ue.__webglFramebuffer=ee,ue.__useDefaultFramebuffer=ee===void 0},this.setRenderTarget=function(P,ee=0,ue=0){C=P,V=ee,T=ue;let le=!0,ae=null,Te=!1,De=!1;if(P){const $e=Re.get(P);$e.__useDefaultFramebuffer!==void 0?(xe.bindFramebuffer(F.FRAMEBUFFER,null),le=!1):$e.__webglFramebuffer===void 0?Ge.setupRenderTarget(P):$e.__hasExternalTextures&&Ge.rebindTextures(P,Re.get(P.texture).__webglTexture,Re.get(P.depthTexture).__webglTexture);const We=P.texture;(We.isData3DTexture||We.isDataArrayTexture||We.isCompressedArrayTexture)&&(De=!0);const Ke=Re.get(P).__webglFramebuffer;P.isWebGLCubeRenderTarget?(Array.isArray(Ke[ee])?ae=Ke[ee][ue]:ae=Ke[ee],Te=!0):P.samples>0&&Ge.useMultisampledRTT(P)===!1?ae=Re.get(P).__webglMultisampledFramebuffer:Array.isArray(Ke)?ae=Ke[ue]:ae=Ke,v.copy(P.viewport),L.copy(P.scissor),z=P.scissorTest}else v.copy(G).multiplyScalar(ie).floor(),L.copy(ce).multiplyScalar(ie).floor(),z=O;if(xe.bindFramebuffer(F.FRAMEBUFFER,ae)&&le&&xe.drawBuffers(P,ae),xe.viewport(v),xe.scissor(L),xe.setScissorTest(z),Te){const $e=Re.get(P.texture);F.framebufferTexture2D(F.FRAMEBUFFER,F.COLOR_ATTACHMENT0,F.TEXTURE_CUBE_MAP_POSITIVE_X+ee,$e.__webglTexture,ue)}else if(De){const $e=Re.get(P.texture),We=ee||0;F.framebufferTextureLayer(F.FRAMEBUFFER,F.COLOR_ATTACHMENT0,$e.__webglTexture,ue||0,We)}N=-1},this.readRenderTargetPixels=function(P,ee,ue,le,ae,Te,De){if(!(P&&P.isWebGLRenderTarget)){console.error("THREE.WebGLRenderer.readRenderTargetPixels: renderTarget is not THREE.WebGLRenderTarget.");return}let Ue=Re.get(P).__webglFramebuffer;if(P.isWebGLCubeRenderTarget&&De!==void 0&&(Ue=Ue[De]),Ue){xe.bindFramebuffer(F.FRAMEBUFFER,Ue);try{const $e=P.texture,We=$e.format,Ke=$e.type;if(!Ee.textureFormatReadable(We)){console.error("THREE.WebGLRenderer.readRenderTargetPixels: renderTarget is not in RGBA or implementation defined format.");return}if(!Ee.textureTypeReadable(Ke)){console.error("THREE.WebGLRenderer.readRenderTargetPixels: renderTarget is not in UnsignedByteType or implementation defined type.");return}ee>=0&&ee<=P.width-le&&ue>=0&&ue<=P.height-ae&&F.readPixels(ee,ue,le,ae,Le.convert(We),Le.convert(Ke),Te)}finally{const $e=C!==null?Re.get(C).__webglFramebuffer:null;xe.bindFramebuffer(F.FRAMEBUFFER,$e)}}},this.copyFramebufferToTexture=function(P,ee,ue=0){const le=Math.pow(2,-ue),ae=Math.floor(ee.image.width*le),Te=Math.floor(ee.image.height*le);Ge.setTexture2D(ee,0),F.copyTexSubImage2D(F.TEXTURE_2D,ue,0,0,P.x,P.y,ae,Te),xe.unbindTexture()},this.copyTextureToTexture=function(P,ee,ue,le=0){const ae=ee.image.width,Te=ee.image.height,De=Le.convert(ue.format),Ue=Le.convert(ue.type);Ge.setTexture2D(ue,0),F.pixelStorei(F.UNPACK_FLIP_Y_WEBGL,ue.flipY),F.pixelStorei(F.UNPACK_PREMULTIPLY_ALPHA_WEBGL,ue.premultiplyAlpha),F.pixelStorei(F.UNPACK_ALIGNMENT,ue.unpackAlignment),ee.isDataTexture?F.texSubImage2D(F.TEXTURE_2D,le,P.x,P.y,ae,Te,De,Ue,ee.image.data):ee.isCompressedTexture?F.compressedTexSubImage2D(F.TEXTURE_2D,le,P.x,P.y,ee.mipmaps[0].width,ee.mipmaps[0].height,De,ee.mipmaps[0].data):F.texSubImage2D(F.TEXTURE_2D,le,P.x,P.y,De,Ue,ee.image),le===0&&ue.generateMipmaps&&F.generateMipmap(F.TEXTURE_2D),xe.unbindTexture()},this.copyTextureToTexture3D=function(P,ee,ue,le,ae=0){const Te=P.max.x-P.min.x,De=P.max.y-P.min.y,Ue=P.max.z-P.min.z,$e=Le.convert(le.format),We=Le.convert(le.type);let Ke;if(le.isData3DTexture)Ge.setTexture3D(le,0),Ke=F.TEXTURE_3D;else if(le.isDataArrayTexture||le.isCompressedArrayTexture)Ge.setTexture2DArray(le,0),Ke=F.TEXTURE_2D_ARRAY;else{console.warn("THREE.WebGLRenderer.copyTextureToTexture3D: only supports THREE.DataTexture3D and THREE.DataTexture2DArray.");return}F.pixelStorei(F.UNPACK_FLIP_Y_WEBGL,le.flipY),F.pixelStorei(F.UNPACK_PREMULTIPLY_ALPHA_WEBGL,le.premultiplyAlpha),F.pixelStorei(F.UNPACK_ALIGNMENT,le.unpackAlignment);const nt=F.getParameter(F.UNPACK_ROW_LENGTH),Dt=F.getParameter(F.UNPACK_IMAGE_HEIGHT),Bt=F.getParameter(F.UNPACK_SKIP_PIXELS),Vt=F.getParameter(F.UNPACK_SKIP_ROWS),In=F.getParameter(F.UNPACK_SKIP_IMAGES),ct=ue.isCompressedTexture?ue.mipmaps[ae]:ue.image;F.pixelStorei(F.UNPACK_ROW_LENGTH,ct.width),F.pixelStorei(F.UNPACK_IMAGE_HEIGHT,ct.height),F.pixelStorei(F.UNPACK_SKIP_PIXELS,P.min.x),F.pixelStorei(F.UNPACK_SKIP_ROWS,P.min.y),F.pixelStorei(F.UNPACK_SKIP_IMAGES,P.min.z),ue.isDataTexture||ue.isData3DTexture?F.texSubImage3D(Ke,ae,ee.x,ee.y,ee.z,Te,De,Ue,$e,We,ct.data):le.isCompressedArrayTexture?F.compressedTexSubImage3D(Ke,ae,ee.x,ee.y,ee.z,Te,De,Ue,$e,ct.data):F.texSubImage3D(Ke,ae,ee.x,ee.y,ee.z,Te,De,Ue,$e,We,ct),F.pixelStorei(F.UNPACK_ROW_LENGTH,nt),F.pixelStorei(F.UNPACK_IMAGE_HEIGHT,Dt),F.pixelStorei(F.UNPACK_SKIP_PIXELS,Bt),F.pixelStorei(F.UNPACK_SKIP_ROWS,Vt),F.pixelStorei(F.UNPACK_SKIP_IMAGES,In),ae===0&&le.generateMipmaps&&F.generateMipmap(Ke),xe.unbindTexture()},this.initTexture=function(P){P.isCubeTexture?Ge.setTextureCube(P,0):P.isData3DTexture?Ge.setTexture3D(P,0):P.isDataArrayTexture||P.isCompressedArrayTexture?Ge.setTexture2DArray(P,0):Ge.setTexture2D(P,0),xe.unbindTexture()},this.resetState=function(){V=0,T=0,C=null,xe.reset(),Ve.reset()},typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("observe",{detail:this}))}get coordinateSystem(){return Ii}get outputColorSpace(){return this._outputColorSpace}set outputColorSpace(e){this._outputColorSpace=e;const t=this.getContext();t.drawingBufferColorSpace=e===pc?"display-p3":"srgb",t.unpackColorSpace=vt.workingColorSpace===po?"display-p3":"srgb"}get useLegacyLights(){return console.warn("THREE.WebGLRenderer: The property .useLegacyLights has been deprecated. Migrate your lighting according to the following guide: https://discourse.threejs.org/t/updates-to-lighting-in-three-js-r155/53733."),this._useLegacyLights}set useLegacyLights(e){console.warn("THREE.WebGLRenderer: The property .useLegacyLights has been deprecated. Migrate your lighting according to the following guide: https://discourse.threejs.org/t/updates-to-lighting-in-three-js-r155/53733."),this._useLegacyLights=e}}class yM extends Hn{constructor(){super(),this.isScene=!0,this.type="Scene",this.background=null,this.environment=null,this.fog=null,this.backgroundBlurriness=0,this.backgroundIntensity=1,this.backgroundRotation=new Fi,this.environmentIntensity=1,this.environmentRotation=new Fi,this.overrideMaterial=null,typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("observe",{detail:this}))}copy(e,t){return super.copy(e,t),e.background!==null&&(this.background=e.background.clone()),e.environment!==null&&(this.environment=e.environment.clone()),e.fog!==null&&(this.fog=e.fog.clone()),this.backgroundBlurriness=e.backgroundBlurriness,this.backgroundIntensity=e.backgroundIntensity,this.backgroundRotation.copy(e.backgroundRotation),this.environmentIntensity=e.environmentIntensity,this.environmentRotation.copy(e.environmentRotation),e.overrideMaterial!==null&&(this.overrideMaterial=e.overrideMaterial.clone()),this.matrixAutoUpdate=e.matrixAutoUpdate,this}toJSON(e){const t=super.toJSON(e);return this.fog!==null&&(t.object.fog=this.fog.toJSON()),this.backgroundBlurriness>0&&(t.object.backgroundBlurriness=this.backgroundBlurriness),this.backgroundIntensity!==1&&(t.object.backgroundIntensity=this.backgroundIntensity),t.object.backgroundRotation=this.backgroundRotation.toArray(),this.environmentIntensity!==1&&(t.object.environmentIntensity=this.environmentIntensity),t.object.environmentRotation=this.environmentRotation.toArray(),t}}class EM extends Tn{constructor(e=null,t=1,n=1,s,r,a,o,l,c=Ln,u=Ln,h,f){super(null,a,o,l,c,u,s,r,h,f),this.isDataTexture=!0,this.image={data:e,width:t,height:n},this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1}}class yl extends An{constructor(e,t,n,s=1){super(e,t,n),this.isInstancedBufferAttribute=!0,this.meshPerAttribute=s}copy(e){return super.copy(e),this.meshPerAttribute=e.meshPerAttribute,this}toJSON(){const e=super.toJSON();return e.meshPerAttribute=this.meshPerAttribute,e.isInstancedBufferAttribute=!0,e}}class Bi{constructor(){this.type="Curve",this.arcLengthDivisions=200}getPoint(){return console.warn("THREE.Curve: .getPoint() not implemented."),null}getPointAt(e,t){const n=this.getUtoTmapping(e);return this.getPoint(n,t)}getPoints(e=5){const t=[];for(let n=0;n<=e;n++)t.push(this.getPoint(n/e));return t}getSpacedPoints(e=5){const t=[];for(let n=0;n<=e;n++)t.push(this.getPointAt(n/e));return t}getLength(){const e=this.getLengths();return e[e.length-1]}getLengths(e=this.arcLengthDivisions){if(this.cacheArcLengths&&this.cacheArcLengths.length===e+1&&!this.needsUpdate)return this.cacheArcLengths;this.needsUpdate=!1;const t=[];let n,s=this.getPoint(0),r=0;t.push(0);for(let a=1;a<=e;a++)n=this.getPoint(a/e),r+=n.distanceTo(s),t.push(r),s=n;return this.cacheArcLengths=t,t}updateArcLengths(){this.needsUpdate=!0,this.getLengths()}getUtoTmapping(e,t){const n=this.getLengths();let s=0;const r=n.length;let a;t?a=t:a=e*n[r-1];let o=0,l=r-1,c;for(;o<=l;)if(s=Math.floor(o+(l-o)/2),c=n[s]-a,c<0)o=s+1;else if(c>0)l=s-1;else{l=s;break}if(s=l,n[s]===a)return s/(r-1);const u=n[s],f=n[s+1]-u,p=(a-u)/f;return(s+p)/(r-1)}getTangent(e,t){let s=e-1e-4,r=e+1e-4;s<0&&(s=0),r>1&&(r=1);const a=this.getPoint(s),o=this.getPoint(r),l=t||(a.isVector2?new ze:new Y);return l.copy(o).sub(a).normalize(),l}getTangentAt(e,t){const n=this.getUtoTmapping(e);return this.getTangent(n,t)}computeFrenetFrames(e,t){const n=new Y,s=[],r=[],a=[],o=new Y,l=new zt;for(let p=0;p<=e;p++){const _=p/e;s[p]=this.getTangentAt(_,new Y)}r[0]=new Y,a[0]=new Y;let c=Number.MAX_VALUE;const u=Math.abs(s[0].x),h=Math.abs(s[0].y),f=Math.abs(s[0].z);u<=c&&(c=u,n.set(1,0,0)),h<=c&&(c=h,n.set(0,1,0)),f<=c&&n.set(0,0,1),o.crossVectors(s[0],n).normalize(),r[0].crossVectors(s[0],o),a[0].crossVectors(s[0],r[0]);for(let p=1;p<=e;p++){if(r[p]=r[p-1].clone(),a[p]=a[p-1].clone(),o.crossVectors(s[p-1],s[p]),o.length()>Number.EPSILON){o.normalize();const _=Math.acos(hn(s[p-1].dot(s[p]),-1,1));r[p].applyMatrix4(l.makeRotationAxis(o,_))}a[p].crossVectors(s[p],r[p])}if(t===!0){let p=Math.acos(hn(r[0].dot(r[e]),-1,1));p/=e,s[0].dot(o.crossVectors(r[0],r[e]))>0&&(p=-p);for(let _=1;_<=e;_++)r[_].applyMatrix4(l.makeRotationAxis(s[_],p*_)),a[_].crossVectors(s[_],r[_])}return{tangents:s,normals:r,binormals:a}}clone(){return new this.constructor().copy(this)}copy(e){return this.arcLengthDivisions=e.arcLengthDivisions,this}toJSON(){const e={metadata:{version:4.6,type:"Curve",generator:"Curve.toJSON"}};return e.arcLengthDivisions=this.arcLengthDivisions,e.type=this.type,e}fromJSON(e){return this.arcLengthDivisions=e.arcLengthDivisions,this}}class Pd extends Bi{constructor(e=0,t=0,n=1,s=1,r=0,a=Math.PI*2,o=!1,l=0){super(),this.isEllipseCurve=!0,this.type="EllipseCurve",this.aX=e,this.aY=t,this.xRadius=n,this.yRadius=s,this.aStartAngle=r,this.aEndAngle=a,this.aClockwise=o,this.aRotation=l}getPoint(e,t=new ze){const n=t,s=Math.PI*2;let r=this.aEndAngle-this.aStartAngle;const a=Math.abs(r)<Number.EPSILON;for(;r<0;)r+=s;for(;r>s;)r-=s;r<Number.EPSILON&&(a?r=0:r=s),this.aClockwise===!0&&!a&&(r===s?r=-s:r=r-s);const o=this.aStartAngle+e*r;let l=this.aX+this.xRadius*Math.cos(o),c=this.aY+this.yRadius*Math.sin(o);if(this.aRotation!==0){const u=Math.cos(this.aRotation),h=Math.sin(this.aRotation),f=l-this.aX,p=c-this.aY;l=f*u-p*h+this.aX,c=f*h+p*u+this.aY}return n.set(l,c)}copy(e){return super.copy(e),this.aX=e.aX,this.aY=e.aY,this.xRadius=e.xRadius,this.yRadius=e.yRadius,this.aStartAngle=e.aStartAngle,this.aEndAngle=e.aEndAngle,this.aClockwise=e.aClockwise,this.aRotation=e.aRotation,this}toJSON(){const e=super.toJSON();return e.aX=this.aX,e.aY=this.aY,e.xRadius=this.xRadius,e.yRadius=this.yRadius,e.aStartAngle=this.aStartAngle,e.aEndAngle=this.aEndAngle,e.aClockwise=this.aClockwise,e.aRotation=this.aRotation,e}fromJSON(e){return super.fromJSON(e),this.aX=e.aX,this.aY=e.aY,this.xRadius=e.xRadius,this.yRadius=e.yRadius,this.aStartAngle=e.aStartAngle,this.aEndAngle=e.aEndAngle,this.aClockwise=e.aClockwise,this.aRotation=e.aRotation,this}}class bM extends Pd{constructor(e,t,n,s,r,a){super(e,t,n,n,s,r,a),this.isArcCurve=!0,this.type="ArcCurve"}}function xc(){let i=0,e=0,t=0,n=0;function s(r,a,o,l){i=r,e=o,t=-3*r+3*a-2*o-l,n=2*r-2*a+o+l}return{initCatmullRom:function(r,a,o,l,c){s(a,o,c*(o-r),c*(l-a))},initNonuniformCatmullRom:function(r,a,o,l,c,u,h){let f=(a-r)/c-(o-r)/(c+u)+(o-a)/u,p=(o-a)/u-(l-a)/(u+h)+(l-o)/h;f*=u,p*=u,s(a,o,f,p)},calc:function(r){const a=r*r,o=a*r;return i+e*r+t*a+n*o}}}const za=new Y,El=new xc,bl=new xc,wl=new xc;class wM extends Bi{constructor(e=[],t=!1,n="centripetal",s=.5){super(),this.isCatmullRomCurve3=!0,this.type="CatmullRomCurve3",this.points=e,this.closed=t,this.curveType=n,this.tension=s}getPoint(e,t=new Y){const n=t,s=this.points,r=s.length,a=(r-(this.closed?0:1))*e;let o=Math.floor(a),l=a-o;this.closed?o+=o>0?0:(Math.floor(Math.abs(o)/r)+1)*r:l===0&&o===r-1&&(o=r-2,l=1);let c,u;this.closed||o>0?c=s[(o-1)%r]:(za.subVectors(s[0],s[1]).add(s[0]),c=za);const h=s[o%r],f=s[(o+1)%r];if(this.closed||o+2<r?u=s[(o+2)%r]:(za.subVectors(s[r-1],s[r-2]).add(s[r-1]),u=za),this.curveType==="centripetal"||this.curveType==="chordal"){const p=this.curveType==="chordal"?.5:.25;let _=Math.pow(c.distanceToSquared(h),p),x=Math.pow(h.distanceToSquared(f),p),m=Math.pow(f.distanceToSquared(u),p);x<1e-4&&(x=1),_<1e-4&&(_=x),m<1e-4&&(m=x),El.initNonuniformCatmullRom(c.x,h.x,f.x,u.x,_,x,m),bl.initNonuniformCatmullRom(c.y,h.y,f.y,u.y,_,x,m),wl.initNonuniformCatmullRom(c.z,h.z,f.z,u.z,_,x,m)}else this.curveType==="catmullrom"&&(El.initCatmullRom(c.x,h.x,f.x,u.x,this.tension),bl.initCatmullRom(c.y,h.y,f.y,u.y,this.tension),wl.initCatmullRom(c.z,h.z,f.z,u.z,this.tension));return n.set(El.calc(l),bl.calc(l),wl.calc(l)),n}copy(e){super.copy(e),this.points=[];for(let t=0,n=e.points.length;t<n;t++){const s=e.points[t];this.points.push(s.clone())}return this.closed=e.closed,this.curveType=e.curveType,this.tension=e.tension,this}toJSON(){const e=super.toJSON();e.points=[];for(let t=0,n=this.points.length;t<n;t++){const s=this.points[t];e.points.push(s.toArray())}return e.closed=this.closed,e.curveType=this.curveType,e.tension=this.tension,e}fromJSON(e){super.fromJSON(e),this.points=[];for(let t=0,n=e.points.length;t<n;t++){const s=e.points[t];this.points.push(new Y().fromArray(s))}return this.closed=e.closed,this.curveType=e.curveType,this.tension=e.tension,this}}function Lh(i,e,t,n,s){const r=(n-e)*.5,a=(s-t)*.5,o=i*i,l=i*o;return(2*t-2*n+r+a)*l+(-3*t+3*n-2*r-a)*o+r*i+t}function TM(i,e){const t=1-i;return t*t*e}function AM(i,e){return 2*(1-i)*i*e}function RM(i,e){return i*i*e}function Kr(i,e,t,n){return TM(i,e)+AM(i,t)+RM(i,n)}function CM(i,e){const t=1-i;return t*t*t*e}function PM(i,e){const t=1-i;return 3*t*t*i*e}function LM(i,e){return 3*(1-i)*i*i*e}function DM(i,e){return i*i*i*e}function Zr(i,e,t,n,s){return CM(i,e)+PM(i,t)+LM(i,n)+DM(i,s)}class UM extends Bi{constructor(e=new ze,t=new ze,n=new ze,s=new ze){super(),this.isCubicBezierCurve=!0,this.type="CubicBezierCurve",this.v0=e,this.v1=t,this.v2=n,this.v3=s}getPoint(e,t=new ze){const n=t,s=this.v0,r=this.v1,a=this.v2,o=this.v3;return n.set(Zr(e,s.x,r.x,a.x,o.x),Zr(e,s.y,r.y,a.y,o.y)),n}copy(e){return super.copy(e),this.v0.copy(e.v0),this.v1.copy(e.v1),this.v2.copy(e.v2),this.v3.copy(e.v3),this}toJSON(){const e=super.toJSON();return e.v0=this.v0.toArray(),e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e.v3=this.v3.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v0.fromArray(e.v0),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this.v3.fromArray(e.v3),this}}class IM extends Bi{constructor(e=new Y,t=new Y,n=new Y,s=new Y){super(),this.isCubicBezierCurve3=!0,this.type="CubicBezierCurve3",this.v0=e,this.v1=t,this.v2=n,this.v3=s}getPoint(e,t=new Y){const n=t,s=this.v0,r=this.v1,a=this.v2,o=this.v3;return n.set(Zr(e,s.x,r.x,a.x,o.x),Zr(e,s.y,r.y,a.y,o.y),Zr(e,s.z,r.z,a.z,o.z)),n}copy(e){return super.copy(e),this.v0.copy(e.v0),this.v1.copy(e.v1),this.v2.copy(e.v2),this.v3.copy(e.v3),this}toJSON(){const e=super.toJSON();return e.v0=this.v0.toArray(),e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e.v3=this.v3.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v0.fromArray(e.v0),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this.v3.fromArray(e.v3),this}}class NM extends Bi{constructor(e=new ze,t=new ze){super(),this.isLineCurve=!0,this.type="LineCurve",this.v1=e,this.v2=t}getPoint(e,t=new ze){const n=t;return e===1?n.copy(this.v2):(n.copy(this.v2).sub(this.v1),n.multiplyScalar(e).add(this.v1)),n}getPointAt(e,t){return this.getPoint(e,t)}getTangent(e,t=new ze){return t.subVectors(this.v2,this.v1).normalize()}getTangentAt(e,t){return this.getTangent(e,t)}copy(e){return super.copy(e),this.v1.copy(e.v1),this.v2.copy(e.v2),this}toJSON(){const e=super.toJSON();return e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this}}class OM extends Bi{constructor(e=new Y,t=new Y){super(),this.isLineCurve3=!0,this.type="LineCurve3",this.v1=e,this.v2=t}getPoint(e,t=new Y){const n=t;return e===1?n.copy(this.v2):(n.copy(this.v2).sub(this.v1),n.multiplyScalar(e).add(this.v1)),n}getPointAt(e,t){return this.getPoint(e,t)}getTangent(e,t=new Y){return t.subVectors(this.v2,this.v1).normalize()}getTangentAt(e,t){return this.getTangent(e,t)}copy(e){return super.copy(e),this.v1.copy(e.v1),this.v2.copy(e.v2),this}toJSON(){const e=super.toJSON();return e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this}}class FM extends Bi{constructor(e=new ze,t=new ze,n=new ze){super(),this.isQuadraticBezierCurve=!0,this.type="QuadraticBezierCurve",this.v0=e,this.v1=t,this.v2=n}getPoint(e,t=new ze){const n=t,s=this.v0,r=this.v1,a=this.v2;return n.set(Kr(e,s.x,r.x,a.x),Kr(e,s.y,r.y,a.y)),n}copy(e){return super.copy(e),this.v0.copy(e.v0),this.v1.copy(e.v1),this.v2.copy(e.v2),this}toJSON(){const e=super.toJSON();return e.v0=this.v0.toArray(),e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v0.fromArray(e.v0),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this}}class Mc extends Bi{constructor(e=new Y,t=new Y,n=new Y){super(),this.isQuadraticBezierCurve3=!0,this.type="QuadraticBezierCurve3",this.v0=e,this.v1=t,this.v2=n}getPoint(e,t=new Y){const n=t,s=this.v0,r=this.v1,a=this.v2;return n.set(Kr(e,s.x,r.x,a.x),Kr(e,s.y,r.y,a.y),Kr(e,s.z,r.z,a.z)),n}copy(e){return super.copy(e),this.v0.copy(e.v0),this.v1.copy(e.v1),this.v2.copy(e.v2),this}toJSON(){const e=super.toJSON();return e.v0=this.v0.toArray(),e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v0.fromArray(e.v0),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this}}class kM extends Bi{constructor(e=[]){super(),this.isSplineCurve=!0,this.type="SplineCurve",this.points=e}getPoint(e,t=new ze){const n=t,s=this.points,r=(s.length-1)*e,a=Math.floor(r),o=r-a,l=s[a===0?a:a-1],c=s[a],u=s[a>s.length-2?s.length-1:a+1],h=s[a>s.length-3?s.length-1:a+2];return n.set(Lh(o,l.x,c.x,u.x,h.x),Lh(o,l.y,c.y,u.y,h.y)),n}copy(e){super.copy(e),this.points=[];for(let t=0,n=e.points.length;t<n;t++){const s=e.points[t];this.points.push(s.clone())}return this}toJSON(){const e=super.toJSON();e.points=[];for(let t=0,n=this.points.length;t<n;t++){const s=this.points[t];e.points.push(s.toArray())}return e}fromJSON(e){super.fromJSON(e),this.points=[];for(let t=0,n=e.points.length;t<n;t++){const s=e.points[t];this.points.push(new ze().fromArray(s))}return this}}var BM=Object.freeze({__proto__:null,ArcCurve:bM,CatmullRomCurve3:wM,CubicBezierCurve:UM,CubicBezierCurve3:IM,EllipseCurve:Pd,LineCurve:NM,LineCurve3:OM,QuadraticBezierCurve:FM,QuadraticBezierCurve3:Mc,SplineCurve:kM});class vo extends di{constructor(e=1,t=1,n=1,s=32,r=1,a=!1,o=0,l=Math.PI*2){super(),this.type="CylinderGeometry",this.parameters={radiusTop:e,radiusBottom:t,height:n,radialSegments:s,heightSegments:r,openEnded:a,thetaStart:o,thetaLength:l};const c=this;s=Math.floor(s),r=Math.floor(r);const u=[],h=[],f=[],p=[];let _=0;const x=[],m=n/2;let d=0;y(),a===!1&&(e>0&&M(!0),t>0&&M(!1)),this.setIndex(u),this.setAttribute("position",new Vn(h,3)),this.setAttribute("normal",new Vn(f,3)),this.setAttribute("uv",new Vn(p,2));function y(){const w=new Y,V=new Y;let T=0;const C=(t-e)/n;for(let N=0;N<=r;N++){const E=[],v=N/r,L=v*(t-e)+e;for(let z=0;z<=s;z++){const I=z/s,K=I*l+o,q=Math.sin(K),te=Math.cos(K);V.x=L*q,V.y=-v*n+m,V.z=L*te,h.push(V.x,V.y,V.z),w.set(q,C,te).normalize(),f.push(w.x,w.y,w.z),p.push(I,1-v),E.push(_++)}x.push(E)}for(let N=0;N<s;N++)for(let E=0;E<r;E++){const v=x[E][N],L=x[E+1][N],z=x[E+1][N+1],I=x[E][N+1];u.push(v,L,I),u.push(L,z,I),T+=6}c.addGroup(d,T,0),d+=T}function M(w){const V=_,T=new ze,C=new Y;let N=0;const E=w===!0?e:t,v=w===!0?1:-1;for(let z=1;z<=s;z++)h.push(0,m*v,0),f.push(0,v,0),p.push(.5,.5),_++;const L=_;for(let z=0;z<=s;z++){const K=z/s*l+o,q=Math.cos(K),te=Math.sin(K);C.x=E*te,C.y=m*v,C.z=E*q,h.push(C.x,C.y,C.z),f.push(0,v,0),T.x=q*.5+.5,T.y=te*.5*v+.5,p.push(T.x,T.y),_++}for(let z=0;z<s;z++){const I=V+z,K=L+z;w===!0?u.push(K,K+1,I):u.push(K+1,K,I),N+=3}c.addGroup(d,N,w===!0?1:2),d+=N}}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}static fromJSON(e){return new vo(e.radiusTop,e.radiusBottom,e.height,e.radialSegments,e.heightSegments,e.openEnded,e.thetaStart,e.thetaLength)}}class Sc extends vo{constructor(e=1,t=1,n=32,s=1,r=!1,a=0,o=Math.PI*2){super(0,e,t,n,s,r,a,o),this.type="ConeGeometry",this.parameters={radius:e,height:t,radialSegments:n,heightSegments:s,openEnded:r,thetaStart:a,thetaLength:o}}static fromJSON(e){return new Sc(e.radius,e.height,e.radialSegments,e.heightSegments,e.openEnded,e.thetaStart,e.thetaLength)}}class yc extends di{constructor(e=new Mc(new Y(-1,-1,0),new Y(-1,1,0),new Y(1,1,0)),t=64,n=1,s=8,r=!1){super(),this.type="TubeGeometry",this.parameters={path:e,tubularSegments:t,radius:n,radialSegments:s,closed:r};const a=e.computeFrenetFrames(t,r);this.tangents=a.tangents,this.normals=a.normals,this.binormals=a.binormals;const o=new Y,l=new Y,c=new ze;let u=new Y;const h=[],f=[],p=[],_=[];x(),this.setIndex(_),this.setAttribute("position",new Vn(h,3)),this.setAttribute("normal",new Vn(f,3)),this.setAttribute("uv",new Vn(p,2));function x(){for(let M=0;M<t;M++)m(M);m(r===!1?t:0),y(),d()}function m(M){u=e.getPointAt(M/t,u);const w=a.normals[M],V=a.binormals[M];for(let T=0;T<=s;T++){const C=T/s*Math.PI*2,N=Math.sin(C),E=-Math.cos(C);l.x=E*w.x+N*V.x,l.y=E*w.y+N*V.y,l.z=E*w.z+N*V.z,l.normalize(),f.push(l.x,l.y,l.z),o.x=u.x+n*l.x,o.y=u.y+n*l.y,o.z=u.z+n*l.z,h.push(o.x,o.y,o.z)}}function d(){for(let M=1;M<=t;M++)for(let w=1;w<=s;w++){const V=(s+1)*(M-1)+(w-1),T=(s+1)*M+(w-1),C=(s+1)*M+w,N=(s+1)*(M-1)+w;_.push(V,T,N),_.push(T,C,N)}}function y(){for(let M=0;M<=t;M++)for(let w=0;w<=s;w++)c.x=M/t,c.y=w/s,p.push(c.x,c.y)}}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}toJSON(){const e=super.toJSON();return e.path=this.parameters.path.toJSON(),e}static fromJSON(e){return new yc(new BM[e.path.type]().fromJSON(e.path),e.tubularSegments,e.radius,e.radialSegments,e.closed)}}class zM extends di{constructor(){super(),this.isInstancedBufferGeometry=!0,this.type="InstancedBufferGeometry",this.instanceCount=1/0}copy(e){return super.copy(e),this.instanceCount=e.instanceCount,this}toJSON(){const e=super.toJSON();return e.instanceCount=this.instanceCount,e.isInstancedBufferGeometry=!0,e}}const Dh=new zt;class HM{constructor(e,t,n=0,s=1/0){this.ray=new gc(e,t),this.near=n,this.far=s,this.camera=null,this.layers=new _c,this.params={Mesh:{},Line:{threshold:1},LOD:{},Points:{threshold:1},Sprite:{}}}set(e,t){this.ray.set(e,t)}setFromCamera(e,t){t.isPerspectiveCamera?(this.ray.origin.setFromMatrixPosition(t.matrixWorld),this.ray.direction.set(e.x,e.y,.5).unproject(t).sub(this.ray.origin).normalize(),this.camera=t):t.isOrthographicCamera?(this.ray.origin.set(e.x,e.y,(t.near+t.far)/(t.near-t.far)).unproject(t),this.ray.direction.set(0,0,-1).transformDirection(t.matrixWorld),this.camera=t):console.error("THREE.Raycaster: Unsupported camera type: "+t.type)}setFromXRController(e){return Dh.identity().extractRotation(e.matrixWorld),this.ray.origin.setFromMatrixPosition(e.matrixWorld),this.ray.direction.set(0,0,-1).applyMatrix4(Dh),this}intersectObject(e,t=!0,n=[]){return Zl(e,this,n,t),n.sort(Uh),n}intersectObjects(e,t=!0,n=[]){for(let s=0,r=e.length;s<r;s++)Zl(e[s],this,n,t);return n.sort(Uh),n}}function Uh(i,e){return i.distance-e.distance}function Zl(i,e,t,n){if(i.layers.test(e.layers)&&i.raycast(e,t),n===!0){const s=i.children;for(let r=0,a=s.length;r<a;r++)Zl(s[r],e,t,!0)}}class Ih{constructor(e=1,t=0,n=0){return this.radius=e,this.phi=t,this.theta=n,this}set(e,t,n){return this.radius=e,this.phi=t,this.theta=n,this}copy(e){return this.radius=e.radius,this.phi=e.phi,this.theta=e.theta,this}makeSafe(){return this.phi=Math.max(1e-6,Math.min(Math.PI-1e-6,this.phi)),this}setFromVector3(e){return this.setFromCartesianCoords(e.x,e.y,e.z)}setFromCartesianCoords(e,t,n){return this.radius=Math.sqrt(e*e+t*t+n*n),this.radius===0?(this.theta=0,this.phi=0):(this.theta=Math.atan2(e,n),this.phi=Math.acos(hn(t/this.radius,-1,1))),this}clone(){return new this.constructor().copy(this)}}typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("register",{detail:{revision:dc}}));typeof window<"u"&&(window.__THREE__?console.warn("WARNING: Multiple instances of Three.js being imported."):window.__THREE__=dc);class Ld{colours;scales;constructor(e){this.colours=new Uint8Array(3*e),this.scales=new Float32Array(e).fill(1)}}const VM=[.8,1,.66],GM=`
  attribute float shade, grow;
  attribute vec3 middle, tint;
  varying vec3 colour;
  void main() {
    vec3 side = step(0.0, cameraPosition - middle) * 2.0 - 1.0;
    bool is_bottom = shade == 1.0 && side.y < 0.0;
    colour = tint * (is_bottom ? 0.55 : shade);
    gl_Position = projectionMatrix * viewMatrix * vec4(middle + position * side * grow, 1.0);
  }`,WM=`
  uniform float opacity;
  varying vec3 colour;
  void main() { gl_FragColor = vec4(colour, opacity); }`;class Nh{constructor(e,t,n=1){this.layout=e,this.middles=new yl(new Float32Array(3*t),3),this.tints=new yl(new Uint8Array(3*t),3,!0),this.scales=new yl(new Float32Array(t),1);for(const c of[this.middles,this.tints,this.scales])c.setUsage(cg);const s=new zM,r=[],a=[],o=[];for(let c=0;c<3;++c){o.push(...[0,1,2,2,1,3].map(u=>c*4+u));for(const[u,h]of[[-1,-1],[1,-1],[-1,1],[1,1]]){const f=[1,1,1];f[(c+1)%3]=u,f[(c+2)%3]=h,r.push(...f.map((p,_)=>p*e.cell[_]/2)),a.push(VM[c])}}s.setIndex(o),s.setAttribute("position",new An(new Float32Array(r),3)),s.setAttribute("shade",new An(new Float32Array(a),1)),s.setAttribute("middle",this.middles),s.setAttribute("tint",this.tints),s.setAttribute("grow",this.scales),s.instanceCount=0;const l=n===1;this.mesh=new Dn(s,new Ei({vertexShader:GM,fragmentShader:WM,side:ui,uniforms:{opacity:{value:n}},transparent:!l,depthTest:l,depthWrite:l})),this.mesh.frustumCulled=!1}mesh;middles;tints;scales;ranks=[];place(e){this.ranks=e;const{middles:t}=this.layout;for(let n=0;n<e.length;++n)for(let s=0;s<3;++s)this.middles.array[3*n+s]=t[3*e[n]+s];this.middles.needsUpdate=!0,this.mesh.geometry.instanceCount=e.length}paint({colours:e,scales:t}){for(let n=0;n<this.ranks.length;++n){const s=this.ranks[n];for(let r=0;r<3;++r)this.tints.array[3*n+r]=e[3*s+r];this.scales.array[n]=t[s]}this.tints.needsUpdate=this.scales.needsUpdate=!0}destroy(){this.mesh.geometry.dispose(),this.mesh.material.dispose()}}const Jl={compute:"computes slowly",input:"waits for data",launch:"starts transfers late",wire:"slow wire"};function Dd(i,{tensor:e,context:t,data:n}){return{tensor:i%e,context:Math.floor(i/e)%t,data:Math.floor(i/(e*t))%n,pipeline:Math.floor(i/(e*t*n))}}function Ec(i,e){const t=i%(e.tensor*e.context*e.data);return Math.floor(t/e.expert_tensor)%e.expert}function $M(i,e){return Array.from({length:e.expert},(t,n)=>i+(n-Ec(i,e))*e.expert_tensor)}function Ql(i,e){const t=e.experts/e.expert,n=Ec(i,e)*t;return t===1?`expert ${n}`:`experts ${n}-${n+t-1}`}async function na(i,e,t){const{rank:n,host:s,work:r,hosts:a,...o}=await gn(`/api/runs/${i.id}/ranks?steps=${e}&columns=${encodeURIComponent(t)}`),l=i.job??{tensor:1,context:1,data:1};return{...o,ranks:n.map((c,u)=>({rank:c,host:a[s[u]],work:r[u],at:Dd(c,l)}))}}function Ud({ranks:i,all:e}){return A("div.muted",{},`Records of ${i.toLocaleString("en")} of ${e.toLocaleString("en")} ranks are read so far; the others follow.`)}function XM(i){const e=[...i].sort((t,n)=>t-n);return e[Math.floor((e.length-1)/2)]}function Id(i,e){const t=new Map;i.ranks.forEach((s,r)=>{const a=t.get(s.work);a?a.push(e.values[r]):t.set(s.work,[e.values[r]])});const n=new Map([...t].map(([s,r])=>[s,XM(r)]));return i.ranks.map((s,r)=>{const a=n.get(s.work),o=e.values[r];return{row:s,value:o,excess:e.unit==="ratio"?a-o:a>0?o/a-1:0}})}function ja({data:i,tensor:e,context:t,pipeline:n}){return`data ${i} · tensor ${e}${t?` · context ${t}`:""} · stage ${n}`}function bc(i){return[...["data","tensor","context","pipeline"].filter(n=>i[n]>1).map(n=>`${n} ${i[n]}`),...i.expert>1?[`expert ${i.expert}`]:[]].join(" · ")||"one rank does all"}function Oh(i){return`${i.host||"host unknown"} · ${ja(i.at)}`}function Fh(i,e=6){const t=[];for(let n=0;n<i.length;){let s=n;for(;s+1<i.length&&i[s+1]===i[s]+1;)++s;t.push(s===n?String(i[n]):`${i[n]}${s===n+1?", ":"-"}${i[s]}`),n=s+1}return t.length<=e?t.join(", "):`${t.slice(0,3).join(", ")} … ${t.at(-1)} (${i.length})`}const YM=.28,qM=[.2,.24,.42],jM=14;class KM{constructor(e){this.job=e,this.counts=[e.data*e.context,e.tensor,e.pipeline],this.world=this.counts[0]*this.counts[1]*this.counts[2];const t=Math.max(...this.counts);this.place=this.counts.map((n,s)=>n===1?1:Math.max(1,Math.min(jM,qM[s]*t/n))),this.cell=this.place.map(n=>n*(1-YM)),this.middles=new Float32Array(3*this.world);for(let n=0;n<this.world;++n){const[s,r,a]=this.cell_of(n);this.middles[3*n]=(s-(this.counts[0]-1)/2)*this.place[0],this.middles[3*n+1]=(r-(this.counts[1]-1)/2)*this.place[1],this.middles[3*n+2]=((this.counts[2]-1)/2-a)*this.place[2]}}counts;place;cell;world;middles;at(e){return Dd(e,this.job)}cell_of(e){const{tensor:t,context:n,data:s,pipeline:r}=this.at(e);return[s*this.job.context+n,t,r]}rank_at([e,t,n]){const{tensor:s}=this.job;return t+s*(e+this.counts[0]*n)}position(e){return[this.middles[3*e],this.middles[3*e+1],this.middles[3*e+2]]}get half(){return this.counts.map((e,t)=>e*this.place[t]/2)}neighbour(e,t,n){const s=this.cell_of(e);return s[t]=Math.max(0,Math.min(this.counts[t]-1,s[t]+n)),this.rank_at(s)}}const kh={type:"change"},Tl={type:"start"},Bh={type:"end"},Ha=new gc,zh=new Zi,ZM=Math.cos(70*hg.DEG2RAD);class JM extends Ps{constructor(e,t){super(),this.object=e,this.domElement=t,this.domElement.style.touchAction="none",this.enabled=!0,this.target=new Y,this.cursor=new Y,this.minDistance=0,this.maxDistance=1/0,this.minZoom=0,this.maxZoom=1/0,this.minTargetRadius=0,this.maxTargetRadius=1/0,this.minPolarAngle=0,this.maxPolarAngle=Math.PI,this.minAzimuthAngle=-1/0,this.maxAzimuthAngle=1/0,this.enableDamping=!1,this.dampingFactor=.05,this.enableZoom=!0,this.zoomSpeed=1,this.enableRotate=!0,this.rotateSpeed=1,this.enablePan=!0,this.panSpeed=1,this.screenSpacePanning=!0,this.keyPanSpeed=7,this.zoomToCursor=!1,this.autoRotate=!1,this.autoRotateSpeed=2,this.keys={LEFT:"ArrowLeft",UP:"ArrowUp",RIGHT:"ArrowRight",BOTTOM:"ArrowDown"},this.mouseButtons={LEFT:Ws.ROTATE,MIDDLE:Ws.DOLLY,RIGHT:Ws.PAN},this.touches={ONE:$s.ROTATE,TWO:$s.DOLLY_PAN},this.target0=this.target.clone(),this.position0=this.object.position.clone(),this.zoom0=this.object.zoom,this._domElementKeyEvents=null,this.getPolarAngle=function(){return o.phi},this.getAzimuthalAngle=function(){return o.theta},this.getDistance=function(){return this.object.position.distanceTo(this.target)},this.listenToKeyEvents=function(S){S.addEventListener("keydown",Ye),this._domElementKeyEvents=S},this.stopListenToKeyEvents=function(){this._domElementKeyEvents.removeEventListener("keydown",Ye),this._domElementKeyEvents=null},this.saveState=function(){n.target0.copy(n.target),n.position0.copy(n.object.position),n.zoom0=n.object.zoom},this.reset=function(){n.target.copy(n.target0),n.object.position.copy(n.position0),n.object.zoom=n.zoom0,n.object.updateProjectionMatrix(),n.dispatchEvent(kh),n.update(),r=s.NONE},this.update=function(){const S=new Y,Z=new Rs().setFromUnitVectors(e.up,new Y(0,1,0)),re=Z.clone().invert(),ve=new Y,Pe=new Rs,tt=new Y,it=2*Math.PI;return function(Ht=null){const lt=n.object.position;S.copy(lt).sub(n.target),S.applyQuaternion(Z),o.setFromVector3(S),n.autoRotate&&r===s.NONE&&z(v(Ht)),n.enableDamping?(o.theta+=l.theta*n.dampingFactor,o.phi+=l.phi*n.dampingFactor):(o.theta+=l.theta,o.phi+=l.phi);let Nt=n.minAzimuthAngle,ut=n.maxAzimuthAngle;isFinite(Nt)&&isFinite(ut)&&(Nt<-Math.PI?Nt+=it:Nt>Math.PI&&(Nt-=it),ut<-Math.PI?ut+=it:ut>Math.PI&&(ut-=it),Nt<=ut?o.theta=Math.max(Nt,Math.min(ut,o.theta)):o.theta=o.theta>(Nt+ut)/2?Math.max(Nt,o.theta):Math.min(ut,o.theta)),o.phi=Math.max(n.minPolarAngle,Math.min(n.maxPolarAngle,o.phi)),o.makeSafe(),n.enableDamping===!0?n.target.addScaledVector(u,n.dampingFactor):n.target.add(u),n.target.sub(n.cursor),n.target.clampLength(n.minTargetRadius,n.maxTargetRadius),n.target.add(n.cursor);let wt=!1;if(n.zoomToCursor&&T||n.object.isOrthographicCamera)o.radius=G(o.radius);else{const It=o.radius;o.radius=G(o.radius*c),wt=It!=o.radius}if(S.setFromSpherical(o),S.applyQuaternion(re),lt.copy(n.target).add(S),n.object.lookAt(n.target),n.enableDamping===!0?(l.theta*=1-n.dampingFactor,l.phi*=1-n.dampingFactor,u.multiplyScalar(1-n.dampingFactor)):(l.set(0,0,0),u.set(0,0,0)),n.zoomToCursor&&T){let It=null;if(n.object.isPerspectiveCamera){const xn=S.length();It=G(xn*c);const dn=xn-It;n.object.position.addScaledVector(w,dn),n.object.updateMatrixWorld(),wt=!!dn}else if(n.object.isOrthographicCamera){const xn=new Y(V.x,V.y,0);xn.unproject(n.object);const dn=n.object.zoom;n.object.zoom=Math.max(n.minZoom,Math.min(n.maxZoom,n.object.zoom/c)),n.object.updateProjectionMatrix(),wt=dn!==n.object.zoom;const tn=new Y(V.x,V.y,0);tn.unproject(n.object),n.object.position.sub(tn).add(xn),n.object.updateMatrixWorld(),It=S.length()}else console.warn("WARNING: OrbitControls.js encountered an unknown camera type - zoom to cursor disabled."),n.zoomToCursor=!1;It!==null&&(this.screenSpacePanning?n.target.set(0,0,-1).transformDirection(n.object.matrix).multiplyScalar(It).add(n.object.position):(Ha.origin.copy(n.object.position),Ha.direction.set(0,0,-1).transformDirection(n.object.matrix),Math.abs(n.object.up.dot(Ha.direction))<ZM?e.lookAt(n.target):(zh.setFromNormalAndCoplanarPoint(n.object.up,n.target),Ha.intersectPlane(zh,n.target))))}else if(n.object.isOrthographicCamera){const It=n.object.zoom;n.object.zoom=Math.max(n.minZoom,Math.min(n.maxZoom,n.object.zoom/c)),It!==n.object.zoom&&(n.object.updateProjectionMatrix(),wt=!0)}return c=1,T=!1,wt||ve.distanceToSquared(n.object.position)>a||8*(1-Pe.dot(n.object.quaternion))>a||tt.distanceToSquared(n.target)>a?(n.dispatchEvent(kh),ve.copy(n.object.position),Pe.copy(n.object.quaternion),tt.copy(n.target),!0):!1}}(),this.dispose=function(){n.domElement.removeEventListener("contextmenu",et),n.domElement.removeEventListener("pointerdown",H),n.domElement.removeEventListener("pointercancel",oe),n.domElement.removeEventListener("wheel",he),n.domElement.removeEventListener("pointermove",R),n.domElement.removeEventListener("pointerup",oe),n.domElement.getRootNode().removeEventListener("keydown",Se,{capture:!0}),n._domElementKeyEvents!==null&&(n._domElementKeyEvents.removeEventListener("keydown",Ye),n._domElementKeyEvents=null)};const n=this,s={NONE:-1,ROTATE:0,DOLLY:1,PAN:2,TOUCH_ROTATE:3,TOUCH_PAN:4,TOUCH_DOLLY_PAN:5,TOUCH_DOLLY_ROTATE:6};let r=s.NONE;const a=1e-6,o=new Ih,l=new Ih;let c=1;const u=new Y,h=new ze,f=new ze,p=new ze,_=new ze,x=new ze,m=new ze,d=new ze,y=new ze,M=new ze,w=new Y,V=new ze;let T=!1;const C=[],N={};let E=!1;function v(S){return S!==null?2*Math.PI/60*n.autoRotateSpeed*S:2*Math.PI/60/60*n.autoRotateSpeed}function L(S){const Z=Math.abs(S*.01);return Math.pow(.95,n.zoomSpeed*Z)}function z(S){l.theta-=S}function I(S){l.phi-=S}const K=function(){const S=new Y;return function(re,ve){S.setFromMatrixColumn(ve,0),S.multiplyScalar(-re),u.add(S)}}(),q=function(){const S=new Y;return function(re,ve){n.screenSpacePanning===!0?S.setFromMatrixColumn(ve,1):(S.setFromMatrixColumn(ve,0),S.crossVectors(n.object.up,S)),S.multiplyScalar(re),u.add(S)}}(),te=function(){const S=new Y;return function(re,ve){const Pe=n.domElement;if(n.object.isPerspectiveCamera){const tt=n.object.position;S.copy(tt).sub(n.target);let it=S.length();it*=Math.tan(n.object.fov/2*Math.PI/180),K(2*re*it/Pe.clientHeight,n.object.matrix),q(2*ve*it/Pe.clientHeight,n.object.matrix)}else n.object.isOrthographicCamera?(K(re*(n.object.right-n.object.left)/n.object.zoom/Pe.clientWidth,n.object.matrix),q(ve*(n.object.top-n.object.bottom)/n.object.zoom/Pe.clientHeight,n.object.matrix)):(console.warn("WARNING: OrbitControls.js encountered an unknown camera type - pan disabled."),n.enablePan=!1)}}();function ie(S){n.object.isPerspectiveCamera||n.object.isOrthographicCamera?c/=S:(console.warn("WARNING: OrbitControls.js encountered an unknown camera type - dolly/zoom disabled."),n.enableZoom=!1)}function ne(S){n.object.isPerspectiveCamera||n.object.isOrthographicCamera?c*=S:(console.warn("WARNING: OrbitControls.js encountered an unknown camera type - dolly/zoom disabled."),n.enableZoom=!1)}function fe(S,Z){if(!n.zoomToCursor)return;T=!0;const re=n.domElement.getBoundingClientRect(),ve=S-re.left,Pe=Z-re.top,tt=re.width,it=re.height;V.x=ve/tt*2-1,V.y=-(Pe/it)*2+1,w.set(V.x,V.y,1).unproject(n.object).sub(n.object.position).normalize()}function G(S){return Math.max(n.minDistance,Math.min(n.maxDistance,S))}function ce(S){h.set(S.clientX,S.clientY)}function O(S){fe(S.clientX,S.clientX),d.set(S.clientX,S.clientY)}function B(S){_.set(S.clientX,S.clientY)}function U(S){f.set(S.clientX,S.clientY),p.subVectors(f,h).multiplyScalar(n.rotateSpeed);const Z=n.domElement;z(2*Math.PI*p.x/Z.clientHeight),I(2*Math.PI*p.y/Z.clientHeight),h.copy(f),n.update()}function W(S){y.set(S.clientX,S.clientY),M.subVectors(y,d),M.y>0?ie(L(M.y)):M.y<0&&ne(L(M.y)),d.copy(y),n.update()}function J(S){x.set(S.clientX,S.clientY),m.subVectors(x,_).multiplyScalar(n.panSpeed),te(m.x,m.y),_.copy(x),n.update()}function Q(S){fe(S.clientX,S.clientY),S.deltaY<0?ne(L(S.deltaY)):S.deltaY>0&&ie(L(S.deltaY)),n.update()}function j(S){let Z=!1;switch(S.code){case n.keys.UP:S.ctrlKey||S.metaKey||S.shiftKey?I(2*Math.PI*n.rotateSpeed/n.domElement.clientHeight):te(0,n.keyPanSpeed),Z=!0;break;case n.keys.BOTTOM:S.ctrlKey||S.metaKey||S.shiftKey?I(-2*Math.PI*n.rotateSpeed/n.domElement.clientHeight):te(0,-n.keyPanSpeed),Z=!0;break;case n.keys.LEFT:S.ctrlKey||S.metaKey||S.shiftKey?z(2*Math.PI*n.rotateSpeed/n.domElement.clientHeight):te(n.keyPanSpeed,0),Z=!0;break;case n.keys.RIGHT:S.ctrlKey||S.metaKey||S.shiftKey?z(-2*Math.PI*n.rotateSpeed/n.domElement.clientHeight):te(-n.keyPanSpeed,0),Z=!0;break}Z&&(S.preventDefault(),n.update())}function X(S){if(C.length===1)h.set(S.pageX,S.pageY);else{const Z=ft(S),re=.5*(S.pageX+Z.x),ve=.5*(S.pageY+Z.y);h.set(re,ve)}}function F(S){if(C.length===1)_.set(S.pageX,S.pageY);else{const Z=ft(S),re=.5*(S.pageX+Z.x),ve=.5*(S.pageY+Z.y);_.set(re,ve)}}function pe(S){const Z=ft(S),re=S.pageX-Z.x,ve=S.pageY-Z.y,Pe=Math.sqrt(re*re+ve*ve);d.set(0,Pe)}function de(S){n.enableZoom&&pe(S),n.enablePan&&F(S)}function Ee(S){n.enableZoom&&pe(S),n.enableRotate&&X(S)}function xe(S){if(C.length==1)f.set(S.pageX,S.pageY);else{const re=ft(S),ve=.5*(S.pageX+re.x),Pe=.5*(S.pageY+re.y);f.set(ve,Pe)}p.subVectors(f,h).multiplyScalar(n.rotateSpeed);const Z=n.domElement;z(2*Math.PI*p.x/Z.clientHeight),I(2*Math.PI*p.y/Z.clientHeight),h.copy(f)}function we(S){if(C.length===1)x.set(S.pageX,S.pageY);else{const Z=ft(S),re=.5*(S.pageX+Z.x),ve=.5*(S.pageY+Z.y);x.set(re,ve)}m.subVectors(x,_).multiplyScalar(n.panSpeed),te(m.x,m.y),_.copy(x)}function Re(S){const Z=ft(S),re=S.pageX-Z.x,ve=S.pageY-Z.y,Pe=Math.sqrt(re*re+ve*ve);y.set(0,Pe),M.set(0,Math.pow(y.y/d.y,n.zoomSpeed)),ie(M.y),d.copy(y);const tt=(S.pageX+Z.x)*.5,it=(S.pageY+Z.y)*.5;fe(tt,it)}function Ge(S){n.enableZoom&&Re(S),n.enablePan&&we(S)}function ht(S){n.enableZoom&&Re(S),n.enableRotate&&xe(S)}function H(S){n.enabled!==!1&&(C.length===0&&(n.domElement.setPointerCapture(S.pointerId),n.domElement.addEventListener("pointermove",R),n.domElement.addEventListener("pointerup",oe)),!Ve(S)&&(Be(S),S.pointerType==="touch"?Ae(S):ge(S)))}function R(S){n.enabled!==!1&&(S.pointerType==="touch"?ke(S):Me(S))}function oe(S){switch(Le(S),C.length){case 0:n.domElement.releasePointerCapture(S.pointerId),n.domElement.removeEventListener("pointermove",R),n.domElement.removeEventListener("pointerup",oe),n.dispatchEvent(Bh),r=s.NONE;break;case 1:const Z=C[0],re=N[Z];Ae({pointerId:Z,pageX:re.x,pageY:re.y});break}}function ge(S){let Z;switch(S.button){case 0:Z=n.mouseButtons.LEFT;break;case 1:Z=n.mouseButtons.MIDDLE;break;case 2:Z=n.mouseButtons.RIGHT;break;default:Z=-1}switch(Z){case Ws.DOLLY:if(n.enableZoom===!1)return;O(S),r=s.DOLLY;break;case Ws.ROTATE:if(S.ctrlKey||S.metaKey||S.shiftKey){if(n.enablePan===!1)return;B(S),r=s.PAN}else{if(n.enableRotate===!1)return;ce(S),r=s.ROTATE}break;case Ws.PAN:if(S.ctrlKey||S.metaKey||S.shiftKey){if(n.enableRotate===!1)return;ce(S),r=s.ROTATE}else{if(n.enablePan===!1)return;B(S),r=s.PAN}break;default:r=s.NONE}r!==s.NONE&&n.dispatchEvent(Tl)}function Me(S){switch(r){case s.ROTATE:if(n.enableRotate===!1)return;U(S);break;case s.DOLLY:if(n.enableZoom===!1)return;W(S);break;case s.PAN:if(n.enablePan===!1)return;J(S);break}}function he(S){n.enabled===!1||n.enableZoom===!1||r!==s.NONE||(S.preventDefault(),n.dispatchEvent(Tl),Q(me(S)),n.dispatchEvent(Bh))}function me(S){const Z=S.deltaMode,re={clientX:S.clientX,clientY:S.clientY,deltaY:S.deltaY};switch(Z){case 1:re.deltaY*=16;break;case 2:re.deltaY*=100;break}return S.ctrlKey&&!E&&(re.deltaY*=10),re}function Se(S){S.key==="Control"&&(E=!0,n.domElement.getRootNode().addEventListener("keyup",be,{passive:!0,capture:!0}))}function be(S){S.key==="Control"&&(E=!1,n.domElement.getRootNode().removeEventListener("keyup",be,{passive:!0,capture:!0}))}function Ye(S){n.enabled===!1||n.enablePan===!1||j(S)}function Ae(S){switch(qe(S),C.length){case 1:switch(n.touches.ONE){case $s.ROTATE:if(n.enableRotate===!1)return;X(S),r=s.TOUCH_ROTATE;break;case $s.PAN:if(n.enablePan===!1)return;F(S),r=s.TOUCH_PAN;break;default:r=s.NONE}break;case 2:switch(n.touches.TWO){case $s.DOLLY_PAN:if(n.enableZoom===!1&&n.enablePan===!1)return;de(S),r=s.TOUCH_DOLLY_PAN;break;case $s.DOLLY_ROTATE:if(n.enableZoom===!1&&n.enableRotate===!1)return;Ee(S),r=s.TOUCH_DOLLY_ROTATE;break;default:r=s.NONE}break;default:r=s.NONE}r!==s.NONE&&n.dispatchEvent(Tl)}function ke(S){switch(qe(S),r){case s.TOUCH_ROTATE:if(n.enableRotate===!1)return;xe(S),n.update();break;case s.TOUCH_PAN:if(n.enablePan===!1)return;we(S),n.update();break;case s.TOUCH_DOLLY_PAN:if(n.enableZoom===!1&&n.enablePan===!1)return;Ge(S),n.update();break;case s.TOUCH_DOLLY_ROTATE:if(n.enableZoom===!1&&n.enableRotate===!1)return;ht(S),n.update();break;default:r=s.NONE}}function et(S){n.enabled!==!1&&S.preventDefault()}function Be(S){C.push(S.pointerId)}function Le(S){delete N[S.pointerId];for(let Z=0;Z<C.length;Z++)if(C[Z]==S.pointerId){C.splice(Z,1);return}}function Ve(S){for(let Z=0;Z<C.length;Z++)if(C[Z]==S.pointerId)return!0;return!1}function qe(S){let Z=N[S.pointerId];Z===void 0&&(Z=new ze,N[S.pointerId]=Z),Z.set(S.pageX,S.pageY)}function ft(S){const Z=S.pointerId===C[0]?C[1]:C[0];return N[Z]}n.domElement.addEventListener("contextmenu",et),n.domElement.addEventListener("pointerdown",H),n.domElement.addEventListener("pointercancel",oe),n.domElement.addEventListener("wheel",he,{passive:!1}),n.domElement.getRootNode().addEventListener("keydown",Se,{passive:!0,capture:!0}),this.update()}}const Hh=[[2,1],[0,2],[0,1]],QM=`
  attribute vec2 place;
  varying vec2 at;
  void main() {
    at = place;
    gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
  }`,eS=`
  uniform sampler2D tints;
  uniform vec2 counts, gap;
  uniform vec3 border;
  uniform float shade;
  varying vec2 at;
  void main() {
    vec2 within = fract(at);
    vec2 inside = clamp((min(within, 1.0 - within) - gap) / fwidth(at) + 0.5, 0.0, 1.0);
    vec2 smallest = clamp(2.0 * fwidth(at) - 1.0, 0.0, 1.0);
    inside = mix(inside, 1.0 - 2.0 * gap, smallest);
    vec3 tint = texture2D(tints, (clamp(floor(at), vec2(0.0), counts - 1.0) + 0.5) / counts).rgb;
    gl_FragColor = vec4(mix(border, tint * shade, inside.x * inside.y), 1.0);
  }`;class tS{constructor(e){this.layout=e,this.sides=[0,1,2].map(t=>this.make(t))}group=new dr;sides;make(e){const{counts:t,place:n,cell:s}=this.layout,[r,a]=Hh[e],o=new EM(new Uint8Array(4*t[r]*t[a]),t[r],t[a]),l=h=>(1-s[h]/n[h])/2,c=new di;c.setAttribute("position",new An(new Float32Array(12),3)),c.setAttribute("place",new An(new Float32Array([0,0,t[r],0,0,t[a],t[r],t[a]]),2)),c.setIndex([0,1,2,2,1,3]);const u=new Dn(c,new Ei({vertexShader:QM,fragmentShader:eS,side:ui,uniforms:{tints:{value:o},counts:{value:new ze(t[r],t[a])},gap:{value:new ze(l(r),l(a))},border:{value:new Y},shade:{value:1}}}));return u.frustumCulled=!1,this.group.add(u),{across:e,ranks:new Uint32Array(t[r]*t[a]),mesh:u,tints:o}}place(e){const{layout:t}=this;for(const{across:n,ranks:s,mesh:r}of this.sides){const[a,o]=Hh[n],l=(e&1<<n)!==0,c=t.half[n]-(t.place[n]-t.cell[n])/2,u=r.geometry.getAttribute("position");for(let f=0;f<4;++f){const p=[0,0,0];p[n]=l?c:-c,p[a]=(f&1?1:-1)*t.half[a]*(a===2?-1:1),p[o]=(f&2?1:-1)*t.half[o]*(o===2?-1:1),u.setXYZ(f,...p)}u.needsUpdate=!0;const h=[0,0,0];h[n]=l!==(n===2)?t.counts[n]-1:0;for(let f=0;f<s.length;++f)h[a]=f%t.counts[a],h[o]=Math.floor(f/t.counts[a]),s[f]=t.rank_at(h);r.material.uniforms.shade.value=n===1?l?1:.55:n===0?.8:.66}}paint({colours:e},t){for(const{ranks:n,mesh:s,tints:r}of this.sides){const a=r.image.data;n.forEach((o,l)=>{for(let c=0;c<3;++c)a[4*l+c]=e[3*o+c];a[4*l+3]=255}),r.needsUpdate=!0,s.material.uniforms.border.value.fromArray(t.map(o=>o/255))}}destroy(){for(const{mesh:e,tints:t}of this.sides)e.geometry.dispose(),e.material.dispose(),t.dispose()}}vt.enabled=!1;const nS=3e3,Vh=1024,Gh=-1,Va=8;class iS{constructor(e){this.layout=e;const t=e.world>nS;this.renderer=new SM({antialias:!t,alpha:!0,powerPreference:"low-power"}),this.renderer.outputColorSpace=ki,this.renderer.setPixelRatio(t?1:Math.min(2,devicePixelRatio||1)),this.canvas=this.renderer.domElement,this.element=A("div.space",{},this.canvas,this.labels),this.cells=new Nh(e,e.world),this.through=new Nh(e,Vh,.55),this.through.mesh.renderOrder=1,this.looks=new Ld(e.world),this.sides=t?new tS(e):null,this.cells.place(Array.from({length:e.world},(n,s)=>s)),this.cells.mesh.visible=!t,this.scene.add(this.cells.mesh,this.through.mesh,this.links),this.sides&&this.scene.add(this.sides.group),this.orbit=new JM(this.camera,this.canvas),this.orbit.addEventListener("change",()=>this.turn()),this.make_labels(),this.observer.observe(this.element)}element;canvas;labels=A("div.labels",{"aria-hidden":"true"});renderer;scene=new yM;camera=new Zn(32,1,.1,5e3);orbit;cells;sides;through;looks;arranged=Gh;links=new dr;observer=new ResizeObserver(()=>this.resize());marks=[];waiting=0;has_view=!1;turn(){this.sides&&this.corner()!==this.arranged&&this.arrange(),this.draw_soon()}make_labels(){const{half:e,counts:t,place:n}=this.layout,{context:s}=this.layout.job,r=(o,l,c="label")=>{const u=A(`span.${c}`,{},o);this.labels.append(u),this.marks.push({element:u,at:new Y(...l)})},a=.04*Math.max(...e)+.6;if(r(`${s>1?"data × context":"data"} 0 – ${t[0]-1} →`,[0,-e[1]-a,e[2]+a]),t[1]>1&&r(`tensor 0 – ${t[1]-1} ↑`,[-e[0]-a,0,e[2]]),t[2]>1)for(let o=0;o<t[2];o+=Math.ceil(t[2]/8))r(`stage ${o}`,[e[0]+a,-e[1],e[2]-(o+.5)*n[2]],"label.stage")}set_looks(e,t){this.looks=e,this.paint(),this.through.place(t.slice(0,Vh)),this.through.paint(e),this.draw_soon()}corner(){const{x:e,y:t,z:n}=this.camera.position,{half:s}=this.layout;return Math.abs(e)<s[0]&&Math.abs(t)<s[1]&&Math.abs(n)<s[2]?Va:(e>0?1:0)+(t>0?2:0)+(n>0?4:0)}arrange(){this.arranged=this.corner(),this.cells.mesh.visible=this.arranged===Va,this.sides.group.visible=this.arranged!==Va,this.arranged!==Va&&this.sides.place(this.arranged),this.paint()}paint(){if(this.sides&&this.arranged===Gh)return this.arrange();this.cells.mesh.visible?this.cells.paint(this.looks):this.sides.paint(this.looks,hc(Lt("--line")))}set_links(e){for(const t of[...this.links.children])t.geometry.dispose(),t.material.dispose();this.links.clear();for(const t of e)this.links.add(...t.arrow?this.arc(t):[this.beam(t)]);this.draw_soon()}thickness(e){return Math.min(...this.layout.place.filter((t,n)=>this.layout.counts[n]>1),1)*(.03+.07*e.load)+.0028*Math.max(...this.layout.half)}beam(e){const t=new Y(...this.layout.position(e.from)),n=new Y(...this.layout.position(e.to)),s=n.clone().sub(t),r=new Dn(new vo(1,1,1,8),new ro({color:e.colour,depthTest:!1,transparent:!0}));return r.scale.set(this.thickness(e),s.length(),this.thickness(e)),r.position.copy(t.add(n).multiplyScalar(.5)),r.quaternion.setFromUnitVectors(new Y(0,1,0),s.normalize()),r.renderOrder=2,r}arc(e){const t=new Y(...this.layout.position(e.from)),n=new Y(...this.layout.position(e.to)),s=t.distanceTo(n),r=this.thickness(e),a=t.clone().add(n).multiplyScalar(.5).add(new Y(0,e.lift*(.25*s+this.layout.cell[1]),0)),o=new Mc(t,a,n),l=new ro({color:e.colour,depthTest:!1,transparent:!0}),c=new Dn(new yc(o,24,r,6),l),u=new Dn(new Sc(r*2.6,r*8,10),l.clone()),h=o.getTangent(1);return u.quaternion.setFromUnitVectors(new Y(0,1,0),h),u.position.copy(n).addScaledVector(h,-r*4),c.renderOrder=u.renderOrder=3,[c,u]}show_all(){this.has_view=!0;const{half:e}=this.layout,t=[];for(const a of[-1,1])for(const o of[-1,1])for(const l of[-1,1])t.push(new Y(a*e[0],o*e[1],l*e[2]));const n=new Y(-.32,.62,1).normalize();let s=.1,r=20*Math.max(...e)+10;for(let a=0;a<40;++a){const o=(s+r)/2;this.camera.position.copy(n).multiplyScalar(o),this.camera.lookAt(0,0,0),this.camera.updateMatrixWorld(),t.every(c=>{const u=c.clone().project(this.camera);return Math.abs(u.x)<.86&&Math.abs(u.y)<.84&&u.z<1&&c.clone().applyMatrix4(this.camera.matrixWorldInverse).z<0})?r=o:s=o}this.camera.position.copy(n).multiplyScalar(r),this.orbit.target.set(0,0,0),this.orbit.update(),this.draw_soon()}zoom(e){this.camera.position.sub(this.orbit.target).multiplyScalar(e).add(this.orbit.target),this.orbit.update(),this.draw_soon()}rank_at(e){const t=this.canvas.getBoundingClientRect(),n=new HM;n.setFromCamera(new ze((e.clientX-t.left)/t.width*2-1,1-(e.clientY-t.top)/t.height*2),this.camera);const{origin:s,direction:r}=n.ray,a=[s.x,s.y,s.z],o=[r.x,r.y,r.z],{middles:l,cell:c}=this.layout;let u=-1,h=1/0;for(let f=0;f<this.layout.world;++f){let p=0,_=1/0;for(let x=0;x<3;++x){const m=c[x]/2*this.looks.scales[f],d=l[3*f+x],y=(d-m-a[x])/o[x],M=(d+m-a[x])/o[x];p=Math.max(p,Math.min(y,M)),_=Math.min(_,Math.max(y,M))}p<=_&&p<h&&(h=p,u=f)}return u}draw_soon(){this.waiting||=requestAnimationFrame(()=>{this.waiting=0,this.draw()})}draw(){const e=this.element.clientWidth,t=this.element.clientHeight;if(e===0||!this.has_view)return;this.renderer.render(this.scene,this.camera);const n=[];for(const{element:s,at:r}of this.marks){const a=r.clone().project(this.camera),o=4*(s.textContent?.length??0),l=Math.max(o,Math.min(e-o,(a.x+1)/2*e)),c=(1-a.y)/2*t,u=n.every(h=>Math.abs(h.x-l)>56||Math.abs(h.y-c)>16);u&&n.push({x:l,y:c}),s.style.transform=`translate(${l}px, ${c}px) translate(-50%, -50%)`,s.style.visibility=u&&a.z<1?"visible":"hidden"}}resize(){const e=this.element.clientWidth,t=this.element.clientHeight;e===0||t===0||(this.renderer.setSize(e,t),this.camera.aspect=e/t,this.camera.updateProjectionMatrix(),this.has_view||this.show_all(),this.draw())}destroy(){this.observer.disconnect(),this.orbit.dispose(),this.set_links([]),cancelAnimationFrame(this.waiting),this.cells.destroy(),this.sides?.destroy(),this.through.destroy(),this.renderer.dispose(),this.renderer.forceContextLoss()}}const sS=3e3,rS=400,aS=5,oS=10,Wh={tensor:"--series-1",data:"--series-2",pipeline:"--series-3",context:"--series-4",expert:"--series-5"},Al=16,lS={both:"↔",sends:"→",receives:"←",none:"–"},$h={usual:"as its peers",slow:"slow",stuck:"holds up the job",waits:"waits for it",unknown:"no records"};function cS(i,e){let t=null,n,s=null,r=null,a=null,o=[],l=[],c=new Set,u=-1,h=e.parameters.get("column")??"",f=e.parameters.get("scale")??"",p=[0,1],_=!1,x=0;const m=A("div.controls"),d=A("div.verdict",{role:"status"}),y=A("div.space-holder",{tabindex:0,role:"application","aria-label":"Grid of ranks. Arrow keys choose a rank along data and tensor, Page Up and Page Down along stages."}),M=A("div.tip",{hidden:!0}),w=A("section.panel.side",{"aria-label":"Chosen rank"}),V=A("div.scale"),T=A("div.grid3",{},A("div",{},y,V),w);i.append(m,d,T);const C=aa(()=>{z(),ie()}),N=()=>h==="experts"&&(e.run.job?.expert??1)>1,E=()=>s!==null&&e.run.kind==="simulated"&&(s.reading?.all??s.ranks.length)<n.world,v=()=>s?.columns.find(j=>j.key===h);function L(){o=Array.from({length:n.world},()=>({value:null,excess:0,state:"unknown",text:""}));const j=v();if(s&&j){const X=Id(s,j),F=(pe,de)=>{o[pe]={value:de.value,excess:de.excess,state:"usual",text:""}};if(E()){const pe=new Map;for(const de of X)pe.has(de.row.at.pipeline)||pe.set(de.row.at.pipeline,de);for(let de=0;de<n.world;++de){const Ee=pe.get(n.at(de).pipeline);Ee&&F(de,Ee)}}for(const pe of X)F(pe.row.rank,pe);for(const pe of s.stragglers)for(const de of pe.ranks)Object.assign(o[de],{state:"slow",text:`${Jl[pe.cause]}: ${pe.text}`});for(const pe of s.problems)o[pe.rank]&&(o[pe.rank].text=pe.text)}for(const X of r?.waiting??[])Object.assign(o[X.rank],{state:"waits",text:`waits in ${X.task} for rank ${Fh(X.awaited)}`});for(const X of(r?.suspects??[]).slice().reverse())Object.assign(o[X.rank],{state:"stuck",text:X.reason});p=[1/0,-1/0];for(const{value:X}of o)X!==null&&(p=[Math.min(p[0],X),Math.max(p[1],X)]);p[0]>p[1]&&(p=[0,1])}function z(){if(!t)return;const j=hc(Lt("--surface")),X=N(),F=!X&&(h==="state"||!v()),pe=fc(),de=r?.hangs??!1,Ee=new Ld(n.world),xe=[];o.forEach((we,Re)=>{const Ge=we.state==="stuck",ht=X&&!Ge?uu(Ec(Re,e.run.job)):F||we.value===null||Ge||de&&we.state==="waits"?lu(we.state):f==="absolute"?tm((we.value-p[0])/(p[1]-p[0]||1)):pe(we.excess).rgb,R=(c.size>0?!c.has(Re)&&!Ge:de&&!Ge&&we.state!=="waits")?.72:0;for(let oe=0;oe<3;++oe)Ee.colours[3*Re+oe]=ht[oe]+(j[oe]-ht[oe])*R;Ee.scales[Re]=Re===u||Ge?1.38:we.state==="slow"?1.15:1,(Ee.scales[Re]>1||c.has(Re))&&xe.push(Re)}),t.set_looks(Ee,xe),I(F)}function I(j){const X=new Map;for(const pe of o)X.set(pe.state,(X.get(pe.state)??0)+1);const F=pe=>pe.filter(de=>X.has(de)).map(de=>{const Ee=A("i.dot",{});return Ee.style.background=`rgb(${lu(de).join(" ")})`,A("span",{},Ee,`${$h[de]} (${X.get(de)})`)});if(N()){const pe=e.run.job;Xe(V,...Array.from({length:Math.min(pe.expert,Al)},(de,Ee)=>{const xe=A("i.dot",{});return xe.style.background=`rgb(${uu(Ee).join(" ")})`,A("span",{},xe,Ql(Ee*pe.expert_tensor,pe))}),pe.expert>Al&&A("span.muted",{},`and ${pe.expert-Al} more; colours repeat`))}else if(j)Xe(V,...F(["usual","slow","stuck","waits","unknown"]));else{const pe=v().unit,de=f==="absolute"?"gradient.absolute":"gradient";Xe(V,A("span",{},f==="absolute"?Ui(p[0],pe):"−20 %"),A(`span.${de}`,{}),A("span",{},f==="absolute"?Ui(p[1],pe):"+20 %"),A("span.muted",{},f==="absolute"?v().label:"against the median of the ranks with the same work"),...r?.hangs?F(["stuck","waits"]):[])}V.append(A("span.muted.hint",{},"drag turns, wheel zooms, click chooses"))}function K(){const j=r?.suspects??[];Xe(d,...j.slice(0,3).map(X=>A("div.straggler",{},A("span.cause",{},"holds up the job"),A("span",{},` ${X.reason}`),A("span.muted",{},` its process ${X.process_id||""}${X.host?` on ${X.host}`:""} is ${X.process} `),A("button.plain",{onclick:()=>void ne(X.rank)},"show"))),...(s?.stragglers??[]).slice(0,2).map(X=>A("div.straggler",{},A(`span.cause.${X.cause}`,{},Jl[X.cause]),` ${X.text} `,A("button.plain",{onclick:()=>void ne(X.ranks[0])},"show"))),(s?.stragglers.length??0)>2&&A("div.muted",{},`and ${s.stragglers.length-2} more, which the heat map lists`),E()&&A("div.muted",{},`Simulated with ${s.ranks.length} of ${n.world} ranks: each other rank is shown as the first of its stage.`),s?.reading?Ud(s.reading):j.length===0&&s&&!s.stragglers.length&&!E()&&A("div.fine",{},"No rank stands out in the last steps."))}function q(j,X,F){if(j.axes.length!==1||!j.members)return null;const pe=Lt(Wh[j.axes[0]]??"--muted"),de=Math.max(j.sent_bytes,j.received_bytes)/F;if(j.size===2&&j.direction!=="both"){const Ee=j.members.find(we=>we!==X),xe=j.direction==="sends";return{from:xe?X:Ee,to:xe?Ee:X,arrow:!0,colour:pe,load:de,lift:j.lane.startsWith("backward")?-1:1}}return{from:j.members[0],to:j.members.at(-1),arrow:!1,colour:pe,load:de,lift:0}}let te=null;function ie(){if(!t)return;const j=te?.groups??[],X=Math.max(1,...j.map(F=>Math.max(F.sent_bytes,F.received_bytes)));l=j.map(F=>q(F,u,X)).filter(F=>F!==null),t.set_links(l)}async function ne(j){if(!(j===u||!t)&&(u=j,e.remember({rank:j<0?null:String(j)}),c=new Set(j<0?[]:[j]),te=null,z(),ie(),fe(),!(j<0))){vr(`rank ${j}, ${ja(n.at(j))}${o[j].text?`, ${o[j].text}`:""}`);try{const X=await gn(`/api/runs/${e.run.id}/peers?rank=${j}`);if(_||u!==j)return;te=X;for(const F of X.groups)F.axes.length===1&&F.members?.forEach(pe=>c.add(pe));z(),ie(),fe()}catch(X){!_&&u===j&&w.append(Zt("Its groups cannot be shown",X.message,"error"))}}}function fe(){if(u<0){Xe(w,A("h2.title",{},`${n.world} ranks`),A("p.muted",{},bc(e.run.job)),A("p.muted",{},"Choose a rank to see its groups, the direction and the load of their transfers, and its state."));return}const{value:j,excess:X,state:F,text:pe}=o[u],de=s?.ranks.find(we=>we.rank===u),Ee=[["Place",ja(n.at(u))],["Host",de?.host||"unknown"],["State",pe||$h[F]]];(e.run.job?.experts??0)>0&&Ee.splice(1,0,["Holds",`${Ql(u,e.run.job)} of ${e.run.job.experts} in each layer`]),j!==null&&v()&&Ee.push([v().label,`${Ui(j,v().unit)} (${X>=0?"+":""}${_n(X)} against peers)`]);const xe=a?.incidents.filter(we=>we.rank===u||we.rank<0&&we.host!==""&&we.host===de?.host).at(-1);xe&&Ee.push(["Last incident",`${xe.what}${xe.step>=0?`, step ${xe.step}`:""}: ${xe.open?"open":xe.outcome}`]),Xe(w,A("div.head",{},A("h2",{},`Rank ${u}`),de?A("button",{onclick:()=>e.go("timeline",{ranks:String(u)})},"Timeline"):null,A("button.plain",{onclick:()=>void ne(-1),title:"Key Esc"},"Close")),A("dl.facts",{},...Ee.flatMap(([we,Re])=>[A("dt",{},we),A("dd",{},Re)])),te&&A("table.groups",{},A("thead",{},A("tr",{},A("th",{},"Group"),A("th",{},"With"),A("th",{},"A step"),A("th",{},"Rate"))),A("tbody",{},...te.groups.map(G))),te&&te.times_of!==void 0&&te.times_of!==u&&A("p.muted",{},`Rates are those of rank ${te.times_of}, which has the same plan.`))}function G(j){const X=Math.max(j.sent_bytes,j.received_bytes),F=A("i.dot",{});F.style.background=Lt(j.axes.length===1?Wh[j.axes[0]]??"--muted":"--muted");const pe=j.members?.filter(de=>de!==u);return A("tr",{title:`${j.key}, lane ${j.lane}, ${j.transfers} transfers a step`},A("td",{},F,`${j.axes.join(" × ")} `,A("span.muted",{},j.axes.join()===j.lane?"":j.lane.replace("_"," "))),A("td",{},`${lS[j.direction]} ${pe?Fh(pe,4):`${j.size-1} ranks`}`),A("td",{},ln(X)),A("td",{},j.moving_seconds&&X>0?`${ln(X/j.moving_seconds)}/s`:"–"))}function ce(){const j=(e.run.job?.expert??1)>1?[{value:"experts",label:"experts"}]:[],X=[{value:"state",label:"state"},...j,...(s?.columns??[]).map(pe=>({value:pe.key,label:pe.label,group:pe.group}))],F=A("input",{size:7,inputmode:"numeric",placeholder:"rank"});F.addEventListener("change",()=>{const pe=Number(F.value);Number.isInteger(pe)&&pe>=0&&pe<n.world&&F.value!==""&&ne(pe)}),Xe(m,wn("Colour",Qn(X,h,pe=>{h=pe,e.remember({column:pe}),B()})),wn("Scale",Qn([{value:"peers",label:"against peers"},{value:"absolute",label:"least to most"}],f,pe=>{f=pe,e.remember({scale:pe}),z()})),wn("Find",F),A("button",{onclick:()=>t?.show_all(),title:"Key 0"},"Whole grid"))}function O(){const{kind:j,age_seconds:X,newest:F}=e.run;return j==="trained"&&(X??0)>Math.max(oS,aS*(F.step_seconds??0))}async function B(){window.clearTimeout(x);const j=h;try{s=await na(e.run,8,j||"compute"),j||(h="compute"),f||=E()?"absolute":"peers"}catch(X){if(X.status!==404)throw X;h||="state",f||="peers"}e.run.has_job&&(a=await gn(`/api/runs/${e.run.id}/job`).catch(()=>null)),r=O()?await gn(`/api/runs/${e.run.id}/hang`).catch(()=>null):null,!(_||j&&j!==h)&&((!m.hasChildNodes()||s&&m.querySelectorAll("option").length<5)&&ce(),L(),z(),K(),w.contains(document.activeElement)||fe(),x=window.setTimeout(()=>void B().catch(U),s?.reading?rS:e.run.kind==="simulated"?6e4:sS))}function U(j){_||Xe(d,Zt("Records cannot be read",j.message,"error"))}function W(){let j=null;t.canvas.addEventListener("pointerdown",X=>{j=[X.clientX,X.clientY]}),t.canvas.addEventListener("click",X=>{j&&Math.hypot(X.clientX-j[0],X.clientY-j[1])<4&&ne(t.rank_at(X))}),t.canvas.addEventListener("pointermove",X=>{const F=X.buttons?-1:t.rank_at(X);if(M.hidden=F<0,t.canvas.style.cursor=F<0?"grab":"pointer",F<0)return;const{value:pe,excess:de,text:Ee}=o[F],xe=y.getBoundingClientRect();M.style.transform=`translate(${X.clientX-xe.left+14}px, ${X.clientY-xe.top+14}px)`,Xe(M,A("strong",{},`rank ${F}`),A("div",{},ja(n.at(F))),pe!==null&&v()?A("div",{},`${v().label} ${Ui(pe,v().unit)}, ${de>=0?"+":""}${_n(de)}`):null,Ee?A("div",{},Ee):null)}),t.canvas.addEventListener("pointerleave",()=>{M.hidden=!0})}function J(j){if(!t)return!1;const F={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowDown:[1,-1],ArrowUp:[1,1],PageUp:[2,1],PageDown:[2,-1]}[j.key];if(F)ne(u<0?0:n.neighbour(u,...F));else if(j.key==="Escape")ne(-1);else if(j.key==="0")t.show_all();else if(j.key==="+"||j.key==="w")t.zoom(.85);else if(j.key==="-"||j.key==="s")t.zoom(1/.85);else return!1;return!0}function Q(){if(!e.run.job){T.hidden=!0,Xe(d,Zt("No grid",e.run.problem??"The size of the job is not known.","empty"));return}n=new KM(e.run.job),o=Array.from({length:n.world},()=>({value:null,excess:0,state:"unknown",text:""}));try{t=new iS(n)}catch{T.hidden=!0,Xe(d,Zt("This browser draws no WebGL","Turn on hardware acceleration or software rendering of WebGL. The heat map shows the same numbers without it.","error"));return}y.append(t.element,M),W(),z(),fe(),B().then(()=>{const j=Number(e.parameters.get("rank")??r?.suspects?.[0]?.rank??-1);j>=0&&j<n.world&&ne(j)}).catch(U)}return Q(),{leave(){_=!0,window.clearTimeout(x),C(),t?.destroy()},key:J}}const uS=!0,en="u-",hS="uplot",fS=en+"hz",dS=en+"vt",pS=en+"title",mS=en+"wrap",gS=en+"under",_S=en+"over",vS=en+"axis",Ss=en+"off",xS=en+"select",MS=en+"cursor-x",SS=en+"cursor-y",yS=en+"cursor-pt",ES=en+"legend",bS=en+"live",wS=en+"inline",TS=en+"series",AS=en+"marker",Xh=en+"label",RS=en+"value",Yr="width",qr="height",Wr="top",Yh="bottom",cr="left",Rl="right",wc="#000",qh=wc+"0",Cl="mousemove",jh="mousedown",Pl="mouseup",Kh="mouseenter",Zh="mouseleave",Jh="dblclick",CS="resize",PS="scroll",Qh="change",ao="dppxchange",Tc="--",Rr=typeof window<"u",ec=Rr?document:null,_r=Rr?window:null,LS=Rr?navigator:null;let gt,Ga;function tc(){let i=devicePixelRatio;gt!=i&&(gt=i,Ga&&ic(Qh,Ga,tc),Ga=matchMedia(`(min-resolution: ${gt-.001}dppx) and (max-resolution: ${gt+.001}dppx)`),ws(Qh,Ga,tc),_r.dispatchEvent(new CustomEvent(ao)))}function zn(i,e){if(e!=null){let t=i.classList;!t.contains(e)&&t.add(e)}}function nc(i,e){let t=i.classList;t.contains(e)&&t.remove(e)}function Ct(i,e,t){i.style[e]=t+"px"}function li(i,e,t,n){let s=ec.createElement(i);return e!=null&&zn(s,e),t?.insertBefore(s,n),s}function jn(i,e){return li("div",i,e)}const ef=new WeakMap;function vi(i,e,t,n,s){let r="translate("+e+"px,"+t+"px)",a=ef.get(i);r!=a&&(i.style.transform=r,ef.set(i,r),e<0||t<0||e>n||t>s?zn(i,Ss):nc(i,Ss))}const tf=new WeakMap;function nf(i,e,t){let n=e+t,s=tf.get(i);n!=s&&(tf.set(i,n),i.style.background=e,i.style.borderColor=t)}const sf=new WeakMap;function rf(i,e,t,n){let s=e+""+t,r=sf.get(i);s!=r&&(sf.set(i,s),i.style.height=t+"px",i.style.width=e+"px",i.style.marginLeft=n?-e/2+"px":0,i.style.marginTop=n?-t/2+"px":0)}const Ac={passive:!0},DS={...Ac,capture:!0};function ws(i,e,t,n){e.addEventListener(i,t,n?DS:Ac)}function ic(i,e,t,n){e.removeEventListener(i,t,Ac)}Rr&&tc();function ci(i,e,t,n){let s;t=t||0,n=n||e.length-1;let r=n<=2147483647;for(;n-t>1;)s=r?t+n>>1:Gn((t+n)/2),e[s]<i?t=s:n=s;return i-e[t]<=e[n]-i?t:n}function Nd(i){return(t,n,s)=>{let r=-1,a=-1;for(let o=n;o<=s;o++)if(i(t[o])){r=o;break}for(let o=s;o>=n;o--)if(i(t[o])){a=o;break}return[r,a]}}const Od=i=>i!=null,Fd=i=>i!=null&&i>0,xo=Nd(Od),US=Nd(Fd);function IS(i,e,t,n=0,s=!1){let r=s?US:xo,a=s?Fd:Od;[e,t]=r(i,e,t);let o=i[e],l=i[e];if(e>-1)if(n==1)o=i[e],l=i[t];else if(n==-1)o=i[t],l=i[e];else for(let c=e;c<=t;c++){let u=i[c];a(u)&&(u<o?o=u:u>l&&(l=u))}return[o??yt,l??-yt]}function Mo(i,e,t,n){let s=lf(i),r=lf(e);i==e&&(s==-1?(i*=t,e/=t):(i/=t,e*=t));let a=t==10?Ni:kd,o=s==1?Gn:Kn,l=r==1?Kn:Gn,c=o(a(Kt(i))),u=l(a(Kt(e))),h=Er(t,c),f=Er(t,u);return t==10&&(c<0&&(h=Et(h,-c)),u<0&&(f=Et(f,-u))),n||t==2?(i=h*s,e=f*r):(i=Vd(i,h),e=So(e,f)),[i,e]}function Rc(i,e,t,n){let s=Mo(i,e,t,n);return i==0&&(s[0]=0),e==0&&(s[1]=0),s}const Cc=.1,af={mode:3,pad:Cc},Jr={pad:0,soft:null,mode:0},NS={min:Jr,max:Jr};function oo(i,e,t,n){return yo(t)?of(i,e,t):(Jr.pad=t,Jr.soft=n?0:null,Jr.mode=n?3:0,of(i,e,NS))}function pt(i,e){return i??e}function OS(i,e,t){for(e=pt(e,0),t=pt(t,i.length-1);e<=t;){if(i[e]!=null)return!0;e++}return!1}function of(i,e,t){let n=t.min,s=t.max,r=pt(n.pad,0),a=pt(s.pad,0),o=pt(n.hard,-yt),l=pt(s.hard,yt),c=pt(n.soft,yt),u=pt(s.soft,-yt),h=pt(n.mode,0),f=pt(s.mode,0),p=e-i,_=Ni(p),x=bn(Kt(i),Kt(e)),m=Ni(x),d=Kt(m-_);(p<1e-24||d>10)&&(p=0,(i==0||e==0)&&(p=1e-24,h==2&&c!=yt&&(r=0),f==2&&u!=-yt&&(a=0)));let y=p||x||1e3,M=Ni(y),w=Er(10,Gn(M)),V=y*(p==0?i==0?.1:1:r),T=Et(Vd(i-V,w/10),24),C=i>=c&&(h==1||h==3&&T<=c||h==2&&T>=c)?c:yt,N=bn(o,T<C&&i>=C?C:fi(C,T)),E=y*(p==0?e==0?.1:1:a),v=Et(So(e+E,w/10),24),L=e<=u&&(f==1||f==3&&v>=u||f==2&&v<=u)?u:-yt,z=fi(l,v>L&&e<=L?L:bn(L,v));return N==z&&N==0&&(z=100),[N,z]}const FS=new Intl.NumberFormat(Rr?LS.language:"en-US"),Pc=i=>FS.format(i),Wn=Math,Ka=Wn.PI,Kt=Wn.abs,Gn=Wn.floor,qt=Wn.round,Kn=Wn.ceil,fi=Wn.min,bn=Wn.max,Er=Wn.pow,lf=Wn.sign,Ni=Wn.log10,kd=Wn.log2,kS=(i,e=1)=>Wn.sinh(i)*e,Ll=(i,e=1)=>Wn.asinh(i/e),yt=1/0;function cf(i){return(Ni((i^i>>31)-(i>>31))|0)+1}function sc(i,e,t){return fi(bn(i,e),t)}function Bd(i){return typeof i=="function"}function ot(i){return Bd(i)?i:()=>i}const BS=()=>{},zd=i=>i,Hd=(i,e)=>e,zS=i=>null,uf=i=>!0,hf=(i,e)=>i==e,HS=/\.\d*?(?=9{6,}|0{6,})/gm,Cs=i=>{if(Wd(i)||rs.has(i))return i;const e=`${i}`,t=e.match(HS);if(t==null)return i;let n=t[0].length-1;if(e.indexOf("e-")!=-1){let[s,r]=e.split("e");return+`${Cs(s)}e${r}`}return Et(i,n)};function gs(i,e){return Cs(Et(Cs(i/e))*e)}function So(i,e){return Cs(Kn(Cs(i/e))*e)}function Vd(i,e){return Cs(Gn(Cs(i/e))*e)}function Et(i,e=0){if(Wd(i))return i;let t=10**e,n=i*t*(1+Number.EPSILON);return qt(n)/t}const rs=new Map;function Gd(i){return((""+i).split(".")[1]||"").length}function ia(i,e,t,n){let s=[],r=n.map(Gd);for(let a=e;a<t;a++){let o=Kt(a),l=Et(Er(i,a),o);for(let c=0;c<n.length;c++){let u=i==10?+`${n[c]}e${a}`:n[c]*l,h=(a>=0?0:o)+(a>=r[c]?0:r[c]),f=i==10?u:Et(u,h);s.push(f),rs.set(f,h)}}return s}const Qr={},Lc=[],br=[null,null],Ji=Array.isArray,Wd=Number.isInteger,VS=i=>i===void 0;function ff(i){return typeof i=="string"}function yo(i){let e=!1;if(i!=null){let t=i.constructor;e=t==null||t==Object}return e}function GS(i){return i!=null&&typeof i=="object"}const WS=Object.getPrototypeOf(Uint8Array),$d="__proto__";function wr(i,e=yo){let t;if(Ji(i)){let n=i.find(s=>s!=null);if(Ji(n)||e(n)){t=Array(i.length);for(let s=0;s<i.length;s++)t[s]=wr(i[s],e)}else t=i.slice()}else if(i instanceof WS)t=i.slice();else if(e(i)){t={};for(let n in i)n!=$d&&(t[n]=wr(i[n],e))}else t=i;return t}function Xt(i){let e=arguments;for(let t=1;t<e.length;t++){let n=e[t];for(let s in n)s!=$d&&(yo(i[s])?Xt(i[s],wr(n[s])):i[s]=wr(n[s]))}return i}const $S=0,XS=1,YS=2;function qS(i,e,t){for(let n=0,s,r=-1;n<e.length;n++){let a=e[n];if(a>r){for(s=a-1;s>=0&&i[s]==null;)i[s--]=null;for(s=a+1;s<t&&i[s]==null;)i[r=s++]=null}}}function jS(i,e){if(JS(i)){let a=i[0].slice();for(let o=1;o<i.length;o++)a.push(...i[o].slice(1));return QS(a[0])||(a=ZS(a)),a}let t=new Set;for(let a=0;a<i.length;a++){let l=i[a][0],c=l.length;for(let u=0;u<c;u++)t.add(l[u])}let n=[Array.from(t).sort((a,o)=>a-o)],s=n[0].length,r=new Map;for(let a=0;a<s;a++)r.set(n[0][a],a);for(let a=0;a<i.length;a++){let o=i[a],l=o[0];for(let c=1;c<o.length;c++){let u=o[c],h=Array(s).fill(void 0),f=e?e[a][c]:XS,p=[];for(let _=0;_<u.length;_++){let x=u[_],m=r.get(l[_]);x===null?f!=$S&&(h[m]=x,f==YS&&p.push(m)):h[m]=x}qS(h,p,s),n.push(h)}}return n}const KS=typeof queueMicrotask>"u"?i=>Promise.resolve().then(i):queueMicrotask;function ZS(i){let e=i[0],t=e.length,n=Array(t);for(let r=0;r<n.length;r++)n[r]=r;n.sort((r,a)=>e[r]-e[a]);let s=[];for(let r=0;r<i.length;r++){let a=i[r],o=Array(t);for(let l=0;l<t;l++)o[l]=a[n[l]];s.push(o)}return s}function JS(i){let e=i[0][0],t=e.length;for(let n=1;n<i.length;n++){let s=i[n][0];if(s.length!=t)return!1;if(s!=e){for(let r=0;r<t;r++)if(s[r]!=e[r])return!1}}return!0}function QS(i,e=100){const t=i.length;if(t<=1)return!0;let n=0,s=t-1;for(;n<=s&&i[n]==null;)n++;for(;s>=n&&i[s]==null;)s--;if(s<=n)return!0;const r=bn(1,Gn((s-n+1)/e));for(let a=i[n],o=n+r;o<=s;o+=r){const l=i[o];if(l!=null){if(l<=a)return!1;a=l}}return!0}const Xd=["January","February","March","April","May","June","July","August","September","October","November","December"],Yd=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function qd(i){return i.slice(0,3)}const ey=Yd.map(qd),ty=Xd.map(qd),ny={MMMM:Xd,MMM:ty,WWWW:Yd,WWW:ey};function $r(i){return(i<10?"0":"")+i}function iy(i){return(i<10?"00":i<100?"0":"")+i}const sy={YYYY:i=>i.getFullYear(),YY:i=>(i.getFullYear()+"").slice(2),MMMM:(i,e)=>e.MMMM[i.getMonth()],MMM:(i,e)=>e.MMM[i.getMonth()],MM:i=>$r(i.getMonth()+1),M:i=>i.getMonth()+1,DD:i=>$r(i.getDate()),D:i=>i.getDate(),WWWW:(i,e)=>e.WWWW[i.getDay()],WWW:(i,e)=>e.WWW[i.getDay()],HH:i=>$r(i.getHours()),H:i=>i.getHours(),h:i=>{let e=i.getHours();return e==0?12:e>12?e-12:e},AA:i=>i.getHours()>=12?"PM":"AM",aa:i=>i.getHours()>=12?"pm":"am",a:i=>i.getHours()>=12?"p":"a",mm:i=>$r(i.getMinutes()),m:i=>i.getMinutes(),ss:i=>$r(i.getSeconds()),s:i=>i.getSeconds(),fff:i=>iy(i.getMilliseconds())};function Dc(i,e){e=e||ny;let t=[],n=/\{([a-z]+)\}|[^{]+/gi,s;for(;s=n.exec(i);)t.push(s[0][0]=="{"?sy[s[1]]:s[0]);return r=>{let a="";for(let o=0;o<t.length;o++)a+=typeof t[o]=="string"?t[o]:t[o](r,e);return a}}const ry=new Intl.DateTimeFormat().resolvedOptions().timeZone;function ay(i,e){let t;return e=="UTC"||e=="Etc/UTC"?t=new Date(+i+i.getTimezoneOffset()*6e4):e==ry?t=i:(t=new Date(i.toLocaleString("en-US",{timeZone:e})),t.setMilliseconds(i.getMilliseconds())),t}const jd=i=>i%1==0,lo=[1,2,2.5,5],oy=ia(10,-32,0,lo),Kd=ia(10,0,32,lo),ly=Kd.filter(jd),_s=oy.concat(Kd),Uc=`
`,Zd="{YYYY}",df=Uc+Zd,Jd="{M}/{D}",jr=Uc+Jd,Wa=jr+"/{YY}",Qd="{aa}",cy="{h}:{mm}",hr=cy+Qd,pf=Uc+hr,mf=":{ss}",_t=null;function ep(i){let e=i*1e3,t=e*60,n=t*60,s=n*24,r=s*30,a=s*365,l=(i==1?ia(10,0,3,lo).filter(jd):ia(10,-3,0,lo)).concat([e,e*5,e*10,e*15,e*30,t,t*5,t*10,t*15,t*30,n,n*2,n*3,n*4,n*6,n*8,n*12,s,s*2,s*3,s*4,s*5,s*6,s*7,s*8,s*9,s*10,s*15,r,r*2,r*3,r*4,r*6,a,a*2,a*5,a*10,a*25,a*50,a*100]);const c=[[a,Zd,_t,_t,_t,_t,_t,_t,1],[s*28,"{MMM}",df,_t,_t,_t,_t,_t,1],[s,Jd,df,_t,_t,_t,_t,_t,1],[n,"{h}"+Qd,Wa,_t,jr,_t,_t,_t,1],[t,hr,Wa,_t,jr,_t,_t,_t,1],[e,mf,Wa+" "+hr,_t,jr+" "+hr,_t,pf,_t,1],[i,mf+".{fff}",Wa+" "+hr,_t,jr+" "+hr,_t,pf,_t,1]];function u(h){return(f,p,_,x,m,d)=>{let y=[],M=m>=a,w=m>=r&&m<a,V=h(_),T=Et(V*i,3),C=Dl(V.getFullYear(),M?0:V.getMonth(),w||M?1:V.getDate()),N=Et(C*i,3);if(w||M){let E=w?m/r:0,v=M?m/a:0,L=T==N?T:Et(Dl(C.getFullYear()+v,C.getMonth()+E,1)*i,3),z=new Date(qt(L/i)),I=z.getFullYear(),K=z.getMonth();for(let q=0;L<=x;q++){let te=Dl(I+v*q,K+E*q,1),ie=te-h(Et(te*i,3));L=Et((+te+ie)*i,3),L<=x&&y.push(L)}}else{let E=m>=s?s:m,v=Gn(_)-Gn(T),L=N+v+So(T-N,E);y.push(L);let z=h(L),I=z.getHours()+z.getMinutes()/t+z.getSeconds()/n,K=m/n,q=f.axes[p]._space,te=d/q;for(;L=Et(L+m,i==1?0:3),!(L>x);)if(K>1){let ie=Gn(Et(I+K,6))%24,G=h(L).getHours()-ie;G>1&&(G=-1),L-=G*n,I=(I+K)%24;let ce=y[y.length-1];Et((L-ce)/m,3)*te>=.7&&y.push(L)}else y.push(L)}return y}}return[l,c,u]}const[uy,hy,fy]=ep(1),[dy,py,my]=ep(.001);ia(2,-53,53,[1]);function gf(i,e){return i.map(t=>t.map((n,s)=>s==0||s==8||n==null?n:e(s==1||t[8]==0?n:t[1]+n)))}function _f(i,e){return(t,n,s,r,a)=>{let o=e.find(_=>a>=_[0])||e[e.length-1],l,c,u,h,f,p;return n.map(_=>{let x=i(_),m=x.getFullYear(),d=x.getMonth(),y=x.getDate(),M=x.getHours(),w=x.getMinutes(),V=x.getSeconds(),T=m!=l&&o[2]||d!=c&&o[3]||y!=u&&o[4]||M!=h&&o[5]||w!=f&&o[6]||V!=p&&o[7]||o[1];return l=m,c=d,u=y,h=M,f=w,p=V,T(x)})}}function gy(i,e){let t=Dc(e);return(n,s,r,a,o)=>s.map(l=>t(i(l)))}function Dl(i,e,t){return new Date(i,e,t)}function vf(i,e){return e(i)}const _y="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function xf(i,e){return(t,n,s,r)=>r==null?Tc:e(i(n))}function vy(i,e){let t=i.series[e];return t.width?t.stroke(i,e):t.points.width?t.points.stroke(i,e):null}function xy(i,e){return i.series[e].fill(i,e)}const My={show:!0,live:!0,isolate:!1,mount:BS,markers:{show:!0,width:2,stroke:vy,fill:xy,dash:"solid"},idx:null,idxs:null,values:[]};function Sy(i,e){let t=i.cursor.points,n=jn(),s=t.size(i,e);Ct(n,Yr,s),Ct(n,qr,s);let r=s/-2;Ct(n,"marginLeft",r),Ct(n,"marginTop",r);let a=t.width(i,e,s);return a&&Ct(n,"borderWidth",a),n}function yy(i,e){let t=i.series[e].points;return t._fill||t._stroke}function Ey(i,e){let t=i.series[e].points;return t._stroke||t._fill}function by(i,e){return i.series[e].points.size}const Ul=[0,0];function wy(i,e,t){return Ul[0]=e,Ul[1]=t,Ul}function $a(i,e,t,n=!0){return s=>{s.button==0&&(!n||s.target==e)&&t(s)}}function Il(i,e,t,n=!0){return s=>{(!n||s.target==e)&&t(s)}}const Ty={show:!0,x:!0,y:!0,lock:!1,move:wy,points:{one:!1,show:Sy,size:by,width:0,stroke:Ey,fill:yy},bind:{mousedown:$a,mouseup:$a,click:$a,dblclick:$a,mousemove:Il,mouseleave:Il,mouseenter:Il},drag:{setScale:!0,x:!0,y:!1,dist:0,uni:null,click:(i,e)=>{e.stopPropagation(),e.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(i,e,t,n,s)=>n-s,prox:-1,bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},tp={show:!0,stroke:"rgba(0,0,0,0.07)",width:2},Ic=Xt({},tp,{filter:Hd}),np=Xt({},Ic,{size:10}),ip=Xt({},tp,{show:!1}),Nc='12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',sp="bold "+Nc,rp=1.5,Mf={show:!0,scale:"x",stroke:wc,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:sp,side:2,grid:Ic,ticks:np,border:ip,font:Nc,lineGap:rp,rotate:0},Ay="Value",Ry="Time",Sf={show:!0,scale:"x",auto:!1,sorted:1,min:yt,max:-yt,idxs:[]};function Cy(i,e,t,n,s){return e.map(r=>r==null?"":Pc(r))}function Py(i,e,t,n,s,r,a){let o=[],l=rs.get(s)||0;t=a?t:Et(So(t,s),l);for(let c=t;c<=n;c=Et(c+s,l))o.push(Object.is(c,-0)?0:c);return o}function rc(i,e,t,n,s,r,a){const o=[],l=i.scales[i.axes[e].scale].log,c=l==10?Ni:kd,u=Gn(c(t));s=Er(l,u),l==10&&(s=_s[ci(s,_s)]);let h=t,f=s*l;l==10&&(f=_s[ci(f,_s)]);do o.push(h),h=h+s,l==10&&!rs.has(h)&&(h=Et(h,rs.get(s))),h>=f&&(s=h,f=s*l,l==10&&(f=_s[ci(f,_s)]));while(h<=n);return o}function Ly(i,e,t,n,s,r,a){let l=i.scales[i.axes[e].scale].asinh,c=n>l?rc(i,e,bn(l,t),n,s):[l],u=n>=0&&t<=0?[0]:[];return(t<-l?rc(i,e,bn(l,-n),-t,s):[l]).reverse().map(f=>-f).concat(u,c)}const ap=/./,Dy=/[12357]/,Uy=/[125]/,yf=/1/,ac=(i,e,t,n)=>i.map((s,r)=>e==4&&s==0||r%n==0&&t.test(s.toExponential()[s<0?1:0])?s:null);function Iy(i,e,t,n,s){let r=i.axes[t],a=r.scale,o=i.scales[a],l=i.valToPos,c=r._space,u=l(10,a),h=l(9,a)-u>=c?ap:l(7,a)-u>=c?Dy:l(5,a)-u>=c?Uy:yf;if(h==yf){let f=Kt(l(1,a)-u);if(f<c)return ac(e.slice().reverse(),o.distr,h,Kn(c/f)).reverse()}return ac(e,o.distr,h,1)}function Ny(i,e,t,n,s){let r=i.axes[t],a=r.scale,o=r._space,l=i.valToPos,c=Kt(l(1,a)-l(2,a));return c<o?ac(e.slice().reverse(),3,ap,Kn(o/c)).reverse():e}function Oy(i,e,t,n){return n==null?Tc:e==null?"":Pc(e)}const Ef={show:!0,scale:"y",stroke:wc,space:30,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:sp,side:3,grid:Ic,ticks:np,border:ip,font:Nc,lineGap:rp,rotate:0};function Fy(i,e){let t=3+(i||1)*2;return Et(t*e,3)}function ky(i,e){let{scale:t,idxs:n}=i.series[0],s=i._data[0],r=i.valToPos(s[n[0]],t,!0),a=i.valToPos(s[n[1]],t,!0),o=Kt(a-r),l=i.series[e],c=o/(l.points.space*gt);return n[1]-n[0]<=c}const bf={scale:null,auto:!0,sorted:0,min:yt,max:-yt},op=(i,e,t,n,s)=>s,wf={show:!0,auto:!0,sorted:0,gaps:op,alpha:1,facets:[Xt({},bf,{scale:"x"}),Xt({},bf,{scale:"y"})]},Tf={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,gaps:op,alpha:1,points:{show:ky,filter:null},values:null,min:yt,max:-yt,idxs:[],path:null,clip:null};function By(i,e,t,n,s){return t/10}const lp={time:uS,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},zy=Xt({},lp,{time:!1,ori:1}),Af={};function cp(i,e){let t=Af[i];return t||(t={key:i,plots:[],sub(n){t.plots.push(n)},unsub(n){t.plots=t.plots.filter(s=>s!=n)},pub(n,s,r,a,o,l,c){for(let u=0;u<t.plots.length;u++)t.plots[u]!=s&&t.plots[u].pub(n,s,r,a,o,l,c)}},i!=null&&(Af[i]=t)),t}const Tr=1,oc=2;function Ls(i,e,t){const n=i.mode,s=i.series[e],r=n==2?i._data[e]:i._data,a=i.scales,o=i.bbox;let l=r[0],c=n==2?r[1]:r[e],u=n==2?a[s.facets[0].scale]:a[i.series[0].scale],h=n==2?a[s.facets[1].scale]:a[s.scale],f=o.left,p=o.top,_=o.width,x=o.height,m=i.valToPosH,d=i.valToPosV;return u.ori==0?t(s,l,c,u,h,m,d,f,p,_,x,bo,Cr,To,hp,dp):t(s,l,c,u,h,d,m,p,f,x,_,wo,Pr,kc,fp,pp)}function Oc(i,e){let t=0,n=0,s=pt(i.bands,Lc);for(let r=0;r<s.length;r++){let a=s[r];a.series[0]==e?t=a.dir:a.series[1]==e&&(a.dir==1?n|=1:n|=2)}return[t,n==1?-1:n==2?1:n==3?2:0]}function Hy(i,e,t,n,s){let r=i.mode,a=i.series[e],o=r==2?a.facets[1].scale:a.scale,l=i.scales[o];return s==-1?l.min:s==1?l.max:l.distr==3?l.dir==1?l.min:l.max:0}function Oi(i,e,t,n,s,r){return Ls(i,e,(a,o,l,c,u,h,f,p,_,x,m)=>{let d=a.pxRound;const y=c.dir*(c.ori==0?1:-1),M=c.ori==0?Cr:Pr;let w,V;y==1?(w=t,V=n):(w=n,V=t);let T=d(h(o[w],c,x,p)),C=d(f(l[w],u,m,_)),N=d(h(o[V],c,x,p)),E=d(f(r==1?u.max:u.min,u,m,_)),v=new Path2D(s);return M(v,N,E),M(v,T,E),M(v,T,C),v})}function Eo(i,e,t,n,s,r){let a=null;if(i.length>0){a=new Path2D;const o=e==0?To:kc;let l=t;for(let h=0;h<i.length;h++){let f=i[h];if(f[1]>f[0]){let p=f[0]-l;p>0&&o(a,l,n,p,n+r),l=f[1]}}let c=t+s-l,u=10;c>0&&o(a,l,n-u/2,c,n+r+u)}return a}function Vy(i,e,t){let n=i[i.length-1];n&&n[0]==e?n[1]=t:i.push([e,t])}function Fc(i,e,t,n,s,r,a){let o=[],l=i.length;for(let c=s==1?t:n;c>=t&&c<=n;c+=s)if(e[c]===null){let h=c,f=c;if(s==1)for(;++c<=n&&e[c]===null;)f=c;else for(;--c>=t&&e[c]===null;)f=c;let p=r(i[h]),_=f==h?p:r(i[f]),x=h-s;p=a<=0&&x>=0&&x<l?r(i[x]):p;let d=f+s;_=a>=0&&d>=0&&d<l?r(i[d]):_,_>=p&&o.push([p,_])}return o}function Rf(i){return i==0?zd:i==1?qt:e=>gs(e,i)}function up(i){let e=i==0?bo:wo,t=i==0?(s,r,a,o,l,c)=>{s.arcTo(r,a,o,l,c)}:(s,r,a,o,l,c)=>{s.arcTo(a,r,l,o,c)},n=i==0?(s,r,a,o,l)=>{s.rect(r,a,o,l)}:(s,r,a,o,l)=>{s.rect(a,r,l,o)};return(s,r,a,o,l,c=0,u=0)=>{c==0&&u==0?n(s,r,a,o,l):(c=fi(c,o/2,l/2),u=fi(u,o/2,l/2),e(s,r+c,a),t(s,r+o,a,r+o,a+l,c),t(s,r+o,a+l,r,a+l,u),t(s,r,a+l,r,a,u),t(s,r,a,r+o,a,c),s.closePath())}}const bo=(i,e,t)=>{i.moveTo(e,t)},wo=(i,e,t)=>{i.moveTo(t,e)},Cr=(i,e,t)=>{i.lineTo(e,t)},Pr=(i,e,t)=>{i.lineTo(t,e)},To=up(0),kc=up(1),hp=(i,e,t,n,s,r)=>{i.arc(e,t,n,s,r)},fp=(i,e,t,n,s,r)=>{i.arc(t,e,n,s,r)},dp=(i,e,t,n,s,r,a)=>{i.bezierCurveTo(e,t,n,s,r,a)},pp=(i,e,t,n,s,r,a)=>{i.bezierCurveTo(t,e,s,n,a,r)};function mp(i){return(e,t,n,s,r)=>Ls(e,t,(a,o,l,c,u,h,f,p,_,x,m)=>{let{pxRound:d,points:y}=a,M,w;c.ori==0?(M=bo,w=hp):(M=wo,w=fp);const V=Et(y.width*gt,3);let T=(y.size-y.width)/2*gt,C=Et(T*2,3),N=new Path2D,E=new Path2D,{left:v,top:L,width:z,height:I}=e.bbox;To(E,v-C,L-C,z+C*2,I+C*2);const K=q=>{if(l[q]!=null){let te=d(h(o[q],c,x,p)),ie=d(f(l[q],u,m,_));M(N,te+T,ie),w(N,te,ie,T,0,Ka*2)}};if(r)r.forEach(K);else for(let q=n;q<=s;q++)K(q);return{stroke:V>0?N:null,fill:N,clip:E,flags:Tr|oc}})}function gp(i){return(e,t,n,s,r,a)=>{n!=s&&(r!=n&&a!=n&&i(e,t,n),r!=s&&a!=s&&i(e,t,s),i(e,t,a))}}const Gy=gp(Cr),Wy=gp(Pr);function _p(i){const e=pt(i?.alignGaps,0);return(t,n,s,r)=>Ls(t,n,(a,o,l,c,u,h,f,p,_,x,m)=>{[s,r]=xo(l,s,r);let d=a.pxRound,y=I=>d(h(I,c,x,p)),M=I=>d(f(I,u,m,_)),w,V;c.ori==0?(w=Cr,V=Gy):(w=Pr,V=Wy);const T=c.dir*(c.ori==0?1:-1),C={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:Tr},N=C.stroke;let E=!1;if(r-s>=x*4){let I=B=>t.posToVal(B,c.key,!0),K=null,q=null,te,ie,ne,fe=y(o[T==1?s:r]),G=y(o[s]),ce=y(o[r]),O=I(T==1?G+1:ce-1);for(let B=T==1?s:r;B>=s&&B<=r;B+=T){let U=o[B],J=(T==1?U<O:U>O)?fe:y(U),Q=l[B];J==fe?Q!=null?(ie=Q,K==null?(w(N,J,M(ie)),te=K=q=ie):ie<K?K=ie:ie>q&&(q=ie)):Q===null&&(E=!0):(K!=null&&V(N,fe,M(K),M(q),M(te),M(ie)),Q!=null?(ie=Q,w(N,J,M(ie)),K=q=te=ie):(K=q=null,Q===null&&(E=!0)),fe=J,O=I(fe+T))}K!=null&&K!=q&&ne!=fe&&V(N,fe,M(K),M(q),M(te),M(ie))}else for(let I=T==1?s:r;I>=s&&I<=r;I+=T){let K=l[I];K===null?E=!0:K!=null&&w(N,y(o[I]),M(K))}let[L,z]=Oc(t,n);if(a.fill!=null||L!=0){let I=C.fill=new Path2D(N),K=a.fillTo(t,n,a.min,a.max,L),q=M(K),te=y(o[s]),ie=y(o[r]);T==-1&&([ie,te]=[te,ie]),w(I,ie,q),w(I,te,q)}if(!a.spanGaps){let I=[];E&&I.push(...Fc(o,l,s,r,T,y,e)),C.gaps=I=a.gaps(t,n,s,r,I),C.clip=Eo(I,c.ori,p,_,x,m)}return z!=0&&(C.band=z==2?[Oi(t,n,s,r,N,-1),Oi(t,n,s,r,N,1)]:Oi(t,n,s,r,N,z)),C})}function $y(i){const e=pt(i.align,1),t=pt(i.ascDesc,!1),n=pt(i.alignGaps,0),s=pt(i.extend,!1);return(r,a,o,l)=>Ls(r,a,(c,u,h,f,p,_,x,m,d,y,M)=>{[o,l]=xo(h,o,l);let w=c.pxRound,{left:V,width:T}=r.bbox,C=G=>w(_(G,f,y,m)),N=G=>w(x(G,p,M,d)),E=f.ori==0?Cr:Pr;const v={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:Tr},L=v.stroke,z=f.dir*(f.ori==0?1:-1);let I=N(h[z==1?o:l]),K=C(u[z==1?o:l]),q=K,te=K;s&&e==-1&&(te=V,E(L,te,I)),E(L,K,I);for(let G=z==1?o:l;G>=o&&G<=l;G+=z){let ce=h[G];if(ce==null)continue;let O=C(u[G]),B=N(ce);e==1?E(L,O,I):E(L,q,B),E(L,O,B),I=B,q=O}let ie=q;s&&e==1&&(ie=V+T,E(L,ie,I));let[ne,fe]=Oc(r,a);if(c.fill!=null||ne!=0){let G=v.fill=new Path2D(L),ce=c.fillTo(r,a,c.min,c.max,ne),O=N(ce);E(G,ie,O),E(G,te,O)}if(!c.spanGaps){let G=[];G.push(...Fc(u,h,o,l,z,C,n));let ce=c.width*gt/2,O=t||e==1?ce:-ce,B=t||e==-1?-ce:ce;G.forEach(U=>{U[0]+=O,U[1]+=B}),v.gaps=G=c.gaps(r,a,o,l,G),v.clip=Eo(G,f.ori,m,d,y,M)}return fe!=0&&(v.band=fe==2?[Oi(r,a,o,l,L,-1),Oi(r,a,o,l,L,1)]:Oi(r,a,o,l,L,fe)),v})}function Cf(i,e,t,n,s,r,a=yt){if(i.length>1){let o=null;for(let l=0,c=1/0;l<i.length;l++)if(e[l]!==void 0){if(o!=null){let u=Kt(i[l]-i[o]);u<c&&(c=u,a=Kt(t(i[l],n,s,r)-t(i[o],n,s,r)))}o=l}}return a}function Xy(i){i=i||Qr;const e=pt(i.size,[.6,yt,1]),t=i.align||0,n=i.gap||0;let s=i.radius;s=s==null?[0,0]:typeof s=="number"?[s,0]:s;const r=ot(s),a=1-e[0],o=pt(e[1],yt),l=pt(e[2],1),c=pt(i.disp,Qr),u=pt(i.each,p=>{}),{fill:h,stroke:f}=c;return(p,_,x,m)=>Ls(p,_,(d,y,M,w,V,T,C,N,E,v,L)=>{let z=d.pxRound,I=t,K=n*gt,q=o*gt,te=l*gt,ie,ne;w.ori==0?[ie,ne]=r(p,_):[ne,ie]=r(p,_);const fe=w.dir*(w.ori==0?1:-1);let G=w.ori==0?To:kc,ce=w.ori==0?u:(me,Se,be,Ye,Ae,ke,et)=>{u(me,Se,be,Ae,Ye,et,ke)},O=pt(p.bands,Lc).find(me=>me.series[0]==_),B=O!=null?O.dir:0,U=d.fillTo(p,_,d.min,d.max,B),W=z(C(U,V,L,E)),J,Q,j,X=v,F=z(d.width*gt),pe=!1,de=null,Ee=null,xe=null,we=null;h!=null&&(F==0||f!=null)&&(pe=!0,de=h.values(p,_,x,m),Ee=new Map,new Set(de).forEach(me=>{me!=null&&Ee.set(me,new Path2D)}),F>0&&(xe=f.values(p,_,x,m),we=new Map,new Set(xe).forEach(me=>{me!=null&&we.set(me,new Path2D)})));let{x0:Re,size:Ge}=c;if(Re!=null&&Ge!=null){I=1,y=Re.values(p,_,x,m),Re.unit==2&&(y=y.map(be=>p.posToVal(N+be*v,w.key,!0)));let me=Ge.values(p,_,x,m);Ge.unit==2?Q=me[0]*v:Q=T(me[0],w,v,N)-T(0,w,v,N),X=Cf(y,M,T,w,v,N,X),j=X-Q+K}else X=Cf(y,M,T,w,v,N,X),j=X*a+K,Q=X-j;j<1&&(j=0),F>=Q/2&&(F=0),j<5&&(z=zd);let ht=j>0,H=X-j-(ht?F:0);Q=z(sc(H,te,q)),J=(I==0?Q/2:I==fe?0:Q)-I*fe*((I==0?K/2:0)+(ht?F/2:0));const R={stroke:null,fill:null,clip:null,band:null,gaps:null,flags:0},oe=pe?null:new Path2D;let ge=null;if(O!=null)ge=p.data[O.series[1]];else{let{y0:me,y1:Se}=c;me!=null&&Se!=null&&(M=Se.values(p,_,x,m),ge=me.values(p,_,x,m))}let Me=ie*Q,he=ne*Q;for(let me=fe==1?x:m;me>=x&&me<=m;me+=fe){let Se=M[me];if(Se==null)continue;if(ge!=null){let Ve=ge[me]??0;if(Se-Ve==0)continue;W=C(Ve,V,L,E)}let be=w.distr!=2||c!=null?y[me]:me,Ye=T(be,w,v,N),Ae=C(pt(Se,U),V,L,E),ke=z(Ye-J),et=z(bn(Ae,W)),Be=z(fi(Ae,W)),Le=et-Be;if(Se!=null){let Ve=Se<0?he:Me,qe=Se<0?Me:he;pe?(F>0&&xe[me]!=null&&G(we.get(xe[me]),ke,Be+Gn(F/2),Q,bn(0,Le-F),Ve,qe),de[me]!=null&&G(Ee.get(de[me]),ke,Be+Gn(F/2),Q,bn(0,Le-F),Ve,qe)):G(oe,ke,Be+Gn(F/2),Q,bn(0,Le-F),Ve,qe),ce(p,_,me,ke-F/2,Be,Q+F,Le)}}return F>0?R.stroke=pe?we:oe:pe||(R._fill=d.width==0?d._fill:d._stroke??d._fill,R.width=0),R.fill=pe?Ee:oe,R})}function Yy(i,e){const t=pt(e?.alignGaps,0);return(n,s,r,a)=>Ls(n,s,(o,l,c,u,h,f,p,_,x,m,d)=>{[r,a]=xo(c,r,a);let y=o.pxRound,M=ie=>y(f(ie,u,m,_)),w=ie=>y(p(ie,h,d,x)),V,T,C;u.ori==0?(V=bo,C=Cr,T=dp):(V=wo,C=Pr,T=pp);const N=u.dir*(u.ori==0?1:-1);let E=M(l[N==1?r:a]),v=E,L=[],z=[];for(let ie=N==1?r:a;ie>=r&&ie<=a;ie+=N)if(c[ie]!=null){let fe=l[ie],G=M(fe);L.push(v=G),z.push(w(c[ie]))}const I={stroke:i(L,z,V,C,T,y),fill:null,clip:null,band:null,gaps:null,flags:Tr},K=I.stroke;let[q,te]=Oc(n,s);if(o.fill!=null||q!=0){let ie=I.fill=new Path2D(K),ne=o.fillTo(n,s,o.min,o.max,q),fe=w(ne);C(ie,v,fe),C(ie,E,fe)}if(!o.spanGaps){let ie=[];ie.push(...Fc(l,c,r,a,N,M,t)),I.gaps=ie=o.gaps(n,s,r,a,ie),I.clip=Eo(ie,u.ori,_,x,m,d)}return te!=0&&(I.band=te==2?[Oi(n,s,r,a,K,-1),Oi(n,s,r,a,K,1)]:Oi(n,s,r,a,K,te)),I})}function qy(i){return Yy(jy,i)}function jy(i,e,t,n,s,r){const a=i.length;if(a<2)return null;const o=new Path2D;if(t(o,i[0],e[0]),a==2)n(o,i[1],e[1]);else{let l=Array(a),c=Array(a-1),u=Array(a-1),h=Array(a-1);for(let f=0;f<a-1;f++)u[f]=e[f+1]-e[f],h[f]=i[f+1]-i[f],c[f]=u[f]/h[f];l[0]=c[0];for(let f=1;f<a-1;f++)c[f]===0||c[f-1]===0||c[f-1]>0!=c[f]>0?l[f]=0:(l[f]=3*(h[f-1]+h[f])/((2*h[f]+h[f-1])/c[f-1]+(h[f]+2*h[f-1])/c[f]),isFinite(l[f])||(l[f]=0));l[a-1]=c[a-2];for(let f=0;f<a-1;f++)s(o,i[f]+h[f]/3,e[f]+l[f]*h[f]/3,i[f+1]-h[f]/3,e[f+1]-l[f+1]*h[f]/3,i[f+1],e[f+1])}return o}const lc=new Set;function Pf(){for(let i of lc)i.syncRect(!0)}Rr&&(ws(CS,_r,Pf),ws(PS,_r,Pf,!0),ws(ao,_r,()=>{vn.pxRatio=gt}));const Ky=_p(),Zy=mp();function Lf(i,e,t,n){return(n?[i[0],i[1]].concat(i.slice(2)):[i[0]].concat(i.slice(1))).map((r,a)=>cc(r,a,e,t))}function Jy(i,e){return i.map((t,n)=>n==0?{}:Xt({},e,t))}function cc(i,e,t,n){return Xt({},e==0?t:n,i)}function vp(i,e,t){return e==null?br:[e,t]}const Qy=vp;function eE(i,e,t){return e==null?br:oo(e,t,Cc,!0)}function xp(i,e,t,n){return e==null?br:Mo(e,t,i.scales[n].log,!1)}const tE=xp;function Mp(i,e,t,n){return e==null?br:Rc(e,t,i.scales[n].log,!1)}const nE=Mp;function iE(i,e,t,n,s){let r=bn(cf(i),cf(e)),a=e-i,o=ci(s/n*a,t);do{let l=t[o],c=n*l/a;if(c>=s&&r+(l<5?rs.get(l):0)<=17)return[l,c]}while(++o<t.length);return[0,0]}function Df(i){let e,t;return i=i.replace(/(\d+)px/,(n,s)=>(e=qt((t=+s)*gt))+"px"),[i,e,t]}function sE(i){i.show&&[i.font,i.labelFont].forEach(e=>{let t=Et(e[2]*gt,1);e[0]=e[0].replace(/[0-9.]+px/,t+"px"),e[1]=t})}function vn(i,e,t){const n={mode:pt(i.mode,1)},s=n.mode;function r(g,b,D,k){let $=b.valToPct(g);return k+D*(b.dir==-1?1-$:$)}function a(g,b,D,k){let $=b.valToPct(g);return k+D*(b.dir==-1?$:1-$)}function o(g,b,D,k){return b.ori==0?r(g,b,D,k):a(g,b,D,k)}n.valToPosH=r,n.valToPosV=a;let l=!1;n.status=0;const c=n.root=jn(hS);if(i.id!=null&&(c.id=i.id),zn(c,i.class),i.title){let g=jn(pS,c);g.textContent=i.title}const u=li("canvas"),h=n.ctx=u.getContext("2d"),f=jn(mS,c);ws("click",f,g=>{g.target===_&&(Tt!=Bs||Ut!=zs)&&cn.click(n,g)},!0);const p=n.under=jn(gS,f);f.appendChild(u);const _=n.over=jn(_S,f);i=wr(i);const x=+pt(i.pxAlign,1),m=Rf(x);(i.plugins||[]).forEach(g=>{g.opts&&(i=g.opts(n,i)||i)});const d=i.ms||.001,y=n.series=s==1?Lf(i.series||[],Sf,Tf,!1):Jy(i.series||[null],wf),M=n.axes=Lf(i.axes||[],Mf,Ef,!0),w=n.scales={},V=n.bands=i.bands||[];V.forEach(g=>{g.fill=ot(g.fill||null),g.dir=pt(g.dir,-1)});const T=s==2?y[1].facets[0].scale:y[0].scale,C={axes:Rp,series:Co},N=(i.drawOrder||["axes","series"]).map(g=>C[g]);function E(g){const b=g.distr==3?D=>Ni(D>0?D:g.clamp(n,D,g.min,g.max,g.key)):g.distr==4?D=>Ll(D,g.asinh):g.distr==100?D=>g.fwd(D):D=>D;return D=>{let k=b(D),{_min:$,_max:se}=g,_e=se-$;return(k-$)/_e}}function v(g){let b=w[g];if(b==null){let D=(i.scales||Qr)[g]||Qr;if(D.from!=null){v(D.from);let k=Xt({},w[D.from],D,{key:g});k.valToPct=E(k),w[g]=k}else{b=w[g]=Xt({},g==T?lp:zy,D),b.key=g;let k=b.time,$=b.range,se=Ji($);if((g!=T||s==2&&!k)&&(se&&($[0]==null||$[1]==null)&&($={min:$[0]==null?af:{mode:1,hard:$[0],soft:$[0]},max:$[1]==null?af:{mode:1,hard:$[1],soft:$[1]}},se=!1),!se&&yo($))){let _e=$;$=(ye,Ce,Ne)=>Ce==null?br:oo(Ce,Ne,_e)}b.range=ot($||(k?Qy:g==T?b.distr==3?tE:b.distr==4?nE:vp:b.distr==3?xp:b.distr==4?Mp:eE)),b.auto=ot(se?!1:b.auto),b.clamp=ot(b.clamp||By),b._min=b._max=null,b.valToPct=E(b)}}}v("x"),v("y"),s==1&&y.forEach(g=>{v(g.scale)}),M.forEach(g=>{v(g.scale)});for(let g in i.scales)v(g);const L=w[T],z=L.distr;let I,K;L.ori==0?(zn(c,fS),I=r,K=a):(zn(c,dS),I=a,K=r);const q={};for(let g in w){let b=w[g];(b.min!=null||b.max!=null)&&(q[g]={min:b.min,max:b.max},b.min=b.max=null)}const te=i.tzDate||(g=>new Date(qt(g/d))),ie=i.fmtDate||Dc,ne=d==1?fy(te):my(te),fe=_f(te,gf(d==1?hy:py,ie)),G=xf(te,vf(_y,ie)),ce=[],O=n.legend=Xt({},My,i.legend),B=n.cursor=Xt({},Ty,{drag:{y:s==2}},i.cursor),U=O.show,W=B.show,J=O.markers;O.idxs=ce,J.width=ot(J.width),J.dash=ot(J.dash),J.stroke=ot(J.stroke),J.fill=ot(J.fill);let Q,j,X,F=[],pe=[],de,Ee=!1,xe={};if(O.live){const g=y[1]?y[1].values:null;Ee=g!=null,de=Ee?g(n,1,0):{_:0};for(let b in de)xe[b]=Tc}if(U)if(Q=li("table",ES,c),X=li("tbody",null,Q),O.mount(n,Q),Ee){j=li("thead",null,Q,X);let g=li("tr",null,j);li("th",null,g);for(var we in de)li("th",Xh,g).textContent=we}else zn(Q,wS),O.live&&zn(Q,bS);const Re={show:!0},Ge={show:!1};function ht(g,b){if(b==0&&(Ee||!O.live||s==2))return br;let D=[],k=li("tr",TS,X,X.childNodes[b]);zn(k,g.class),g.show||zn(k,Ss);let $=li("th",null,k);if(J.show){let ye=jn(AS,$);if(b>0){let Ce=J.width(n,b);Ce&&(ye.style.border=Ce+"px "+J.dash(n,b)+" "+J.stroke(n,b)),ye.style.background=J.fill(n,b)}}let se=jn(Xh,$);g.label instanceof HTMLElement?se.appendChild(g.label):se.textContent=g.label,b>0&&(J.show||(se.style.color=g.width>0?J.stroke(n,b):J.fill(n,b)),R("click",$,ye=>{if(B._lock)return;ut(ye);let Ce=y.indexOf(g);if((ye.ctrlKey||ye.metaKey)!=O.isolate){let Ne=y.some((Oe,Fe)=>Fe>0&&Fe!=Ce&&Oe.show);y.forEach((Oe,Fe)=>{Fe>0&&pi(Fe,Ne?Fe==Ce?Re:Ge:Re,!0,Wt.setSeries)})}else pi(Ce,{show:!g.show},!0,Wt.setSeries)},!1),xn&&R(Kh,$,ye=>{B._lock||(ut(ye),pi(y.indexOf(g),Vs,!0,Wt.setSeries))},!1));for(var _e in de){let ye=li("td",RS,k);ye.textContent="--",D.push(ye)}return[k,D]}const H=new Map;function R(g,b,D,k=!0){const $=H.get(b)||{},se=B.bind[g](n,b,D,k);se&&(ws(g,b,$[g]=se),H.set(b,$))}function oe(g,b,D){const k=H.get(b)||{};for(let $ in k)(g==null||$==g)&&(ic($,b,k[$]),delete k[$]);g==null&&H.delete(b)}let ge=0,Me=0,he=0,me=0,Se=0,be=0,Ye=Se,Ae=be,ke=he,et=me,Be=0,Le=0,Ve=0,qe=0;n.bbox={};let ft=!1,Je=!1,S=!1,Z=!1,re=!1,ve=!1;function Pe(g,b,D){(D||g!=n.width||b!=n.height)&&tt(g,b),Ns(!1),S=!0,Je=!0,Os()}function tt(g,b){n.width=ge=he=g,n.height=Me=me=b,Se=be=0,lt(),Nt();let D=n.bbox;Be=D.left=gs(Se*gt,.5),Le=D.top=gs(be*gt,.5),Ve=D.width=gs(he*gt,.5),qe=D.height=gs(me*gt,.5)}const it=3;function bt(){let g=!1,b=0;for(;!g;){b++;let D=Tp(b),k=Ap(b);g=b==it||D&&k,g||(tt(n.width,n.height),Je=!0)}}function Ht({width:g,height:b}){Pe(g,b)}n.setSize=Ht;function lt(){let g=!1,b=!1,D=!1,k=!1;M.forEach(($,se)=>{if($.show&&$._show){let{side:_e,_size:ye}=$,Ce=_e%2,Ne=$.label!=null?$.labelSize:0,Oe=ye+Ne;Oe>0&&(Ce?(he-=Oe,_e==3?(Se+=Oe,k=!0):D=!0):(me-=Oe,_e==0?(be+=Oe,g=!0):b=!0))}}),P[0]=g,P[1]=D,P[2]=b,P[3]=k,he-=ae[1]+ae[3],Se+=ae[3],me-=ae[2]+ae[0],be+=ae[0]}function Nt(){let g=Se+he,b=be+me,D=Se,k=be;function $(se,_e){switch(se){case 1:return g+=_e,g-_e;case 2:return b+=_e,b-_e;case 3:return D-=_e,D+_e;case 0:return k-=_e,k+_e}}M.forEach((se,_e)=>{if(se.show&&se._show){let ye=se.side;se._pos=$(ye,se._size),se.label!=null&&(se._lpos=$(ye,se.labelSize))}})}if(B.dataIdx==null){let g=B.hover,b=g.skip=new Set(g.skip??[]);b.add(void 0);let D=g.prox=ot(g.prox),k=g.bias??=0;B.dataIdx=($,se,_e,ye)=>{if(se==0)return _e;let Ce=_e,Ne=D($,se,_e,ye)??yt,Oe=Ne>=0&&Ne<yt,Fe=L.ori==0?he:me,Qe=B.left,mt=e[0],dt=e[se];if(b.has(dt[_e])){Ce=null;let at=null,je=null,He;if(k==0||k==-1)for(He=_e;at==null&&He-- >0;)b.has(dt[He])||(at=He);if(k==0||k==1)for(He=_e;je==null&&He++<dt.length;)b.has(dt[He])||(je=He);if(at!=null||je!=null)if(Oe){let Rt=at==null?-1/0:I(mt[at],L,Fe,0),Ot=je==null?1/0:I(mt[je],L,Fe,0),an=Qe-Rt,Mt=Ot-Qe;an<=Mt?an<=Ne&&(Ce=at):Mt<=Ne&&(Ce=je)}else Ce=je==null?at:at==null?je:_e-at<=je-_e?at:je}else Oe&&Kt(Qe-I(mt[_e],L,Fe,0))>Ne&&(Ce=null);return Ce}}const ut=g=>{B.event=g};B.idxs=ce,B._lock=!1;let wt=B.points;wt.show=ot(wt.show),wt.size=ot(wt.size),wt.stroke=ot(wt.stroke),wt.width=ot(wt.width),wt.fill=ot(wt.fill);const It=n.focus=Xt({},i.focus||{alpha:.3},B.focus),xn=It.prox>=0,dn=xn&&wt.one;let tn=[],ei=[],bi=[];function Lr(g,b){let D=wt.show(n,b);if(D instanceof HTMLElement)return zn(D,yS),zn(D,g.class),vi(D,-10,-10,he,me),_.insertBefore(D,tn[b]),D}function ha(g,b){if(s==1||b>0){let D=s==1&&w[g.scale].time,k=g.value;g.value=D?ff(k)?xf(te,vf(k,ie)):k||G:k||Oy,g.label=g.label||(D?Ry:Ay)}if(dn||b>0){g.width=g.width==null?1:g.width,g.paths=g.paths||Ky||zS,g.fillTo=ot(g.fillTo||Hy),g.pxAlign=+pt(g.pxAlign,x),g.pxRound=Rf(g.pxAlign),g.stroke=ot(g.stroke||null),g.fill=ot(g.fill||null),g._stroke=g._fill=g._paths=g._focus=null;let D=Fy(bn(1,g.width),1),k=g.points=Xt({},{size:D,width:bn(1,D*.2),stroke:g.stroke,space:D*2,paths:Zy,_stroke:null,_fill:null},g.points);k.show=ot(k.show),k.filter=ot(k.filter),k.fill=ot(k.fill),k.stroke=ot(k.stroke),k.paths=ot(k.paths),k.pxAlign=g.pxAlign}if(U){let D=ht(g,b);F.splice(b,0,D[0]),pe.splice(b,0,D[1]),O.values.push(null)}if(W){ce.splice(b,0,null);let D=null;dn?b==0&&(D=Lr(g,b)):b>0&&(D=Lr(g,b)),tn.splice(b,0,D),ei.splice(b,0,0),bi.splice(b,0,0)}rn("addSeries",b)}function Ao(g,b){b=b??y.length,g=s==1?cc(g,b,Sf,Tf):cc(g,b,{},wf),y.splice(b,0,g),ha(y[b],b)}n.addSeries=Ao;function Ro(g){if(y.splice(g,1),U){O.values.splice(g,1),pe.splice(g,1);let b=F.splice(g,1)[0];oe(null,b.firstChild),b.remove()}W&&(ce.splice(g,1),tn.splice(g,1)[0].remove(),ei.splice(g,1),bi.splice(g,1)),rn("delSeries",g)}n.delSeries=Ro;const P=[!1,!1,!1,!1];function ee(g,b){if(g._show=g.show,g.show){let D=g.side%2,k=w[g.scale];k==null&&(g.scale=D?y[1].scale:T,k=w[g.scale]);let $=k.time;g.size=ot(g.size),g.space=ot(g.space),g.rotate=ot(g.rotate),Ji(g.incrs)&&g.incrs.forEach(_e=>{!rs.has(_e)&&rs.set(_e,Gd(_e))}),g.incrs=ot(g.incrs||(k.distr==2?ly:$?d==1?uy:dy:_s)),g.splits=ot(g.splits||($&&k.distr==1?ne:k.distr==3?rc:k.distr==4?Ly:Py)),g.stroke=ot(g.stroke),g.grid.stroke=ot(g.grid.stroke),g.ticks.stroke=ot(g.ticks.stroke),g.border.stroke=ot(g.border.stroke);let se=g.values;g.values=Ji(se)&&!Ji(se[0])?ot(se):$?Ji(se)?_f(te,gf(se,ie)):ff(se)?gy(te,se):se||fe:se||Cy,g.filter=ot(g.filter||(k.distr>=3&&k.log==10?Iy:k.distr==3&&k.log==2?Ny:Hd)),g.font=Df(g.font),g.labelFont=Df(g.labelFont),g._size=g.size(n,null,b,0),g._space=g._rotate=g._incrs=g._found=g._splits=g._values=null,g._size>0&&(P[b]=!0,g._el=jn(vS,f))}}function ue(g,b,D,k){let[$,se,_e,ye]=D,Ce=b%2,Ne=0;return Ce==0&&(ye||se)&&(Ne=b==0&&!$||b==2&&!_e?qt(Mf.size/3):0),Ce==1&&($||_e)&&(Ne=b==1&&!se||b==3&&!ye?qt(Ef.size/2):0),Ne}const le=n.padding=(i.padding||[ue,ue,ue,ue]).map(g=>ot(pt(g,ue))),ae=n._padding=le.map((g,b)=>g(n,b,P,0));let Te,De=null,Ue=null;const $e=s==1?y[0].idxs:null;let We=null,Ke=!1;function nt(g,b){if(e=g??[],n.data=n._data=e,s==2){Te=0;for(let D=1;D<y.length;D++)Te+=e[D][0].length}else{e.length==0&&(n.data=n._data=e=[[]]),We=e[0],Te=We.length;let D=e;if(z==2){D=e.slice();let k=D[0]=Array(Te);for(let $=0;$<Te;$++)k[$]=$}n._data=e=D}if(Ns(!0),rn("setData"),z==2&&(S=!0),b!==!1){let D=L;D.auto(n,Ke)?Dt():Hi(T,D.min,D.max),Z=Z||B.left>=0,ve=!0,Os()}}n.setData=nt;function Dt(){Ke=!0;let g,b;s==1&&(Te>0?(De=$e[0]=0,Ue=$e[1]=Te-1,g=e[0][De],b=e[0][Ue],z==2?(g=De,b=Ue):g==b&&(z==3?[g,b]=Mo(g,g,L.log,!1):z==4?[g,b]=Rc(g,g,L.log,!1):L.time?b=g+qt(86400/d):[g,b]=oo(g,b,Cc,!0))):(De=$e[0]=g=null,Ue=$e[1]=b=null)),Hi(T,g,b)}let Bt,Vt,In,ct,Ze,wi,xt,ti,Ds,Gt;function Us(g,b,D,k,$,se){g??=qh,D??=Lc,k??="butt",$??=qh,se??="round",g!=Bt&&(h.strokeStyle=Bt=g),$!=Vt&&(h.fillStyle=Vt=$),b!=In&&(h.lineWidth=In=b),se!=Ze&&(h.lineJoin=Ze=se),k!=wi&&(h.lineCap=wi=k),D!=ct&&h.setLineDash(ct=D)}function Yt(g,b,D,k){b!=Vt&&(h.fillStyle=Vt=b),g!=xt&&(h.font=xt=g),D!=ti&&(h.textAlign=ti=D),k!=Ds&&(h.textBaseline=Ds=k)}function $n(g,b,D,k,$=0){if(k.length>0&&g.auto(n,Ke)&&(b==null||b.min==null)){let se=pt(De,0),_e=pt(Ue,k.length-1),ye=D.min==null?IS(k,se,_e,$,g.distr==3):[D.min,D.max];g.min=fi(g.min,D.min=ye[0]),g.max=bn(g.max,D.max=ye[1])}}const Is={min:null,max:null};function Rn(){for(let k in w){let $=w[k];q[k]==null&&($.min==null||q[T]!=null&&$.auto(n,Ke))&&(q[k]=Is)}for(let k in w){let $=w[k];q[k]==null&&$.from!=null&&q[$.from]!=null&&(q[k]=Is)}q[T]!=null&&Ns(!0);let g={};for(let k in q){let $=q[k];if($!=null){let se=g[k]=wr(w[k],GS);if($.min!=null)Xt(se,$);else if(k!=T||s==2)if(Te==0&&se.from==null){let _e=se.range(n,null,null,k);se.min=_e[0],se.max=_e[1]}else se.min=yt,se.max=-yt}}if(Te>0){y.forEach((k,$)=>{if(s==1){let se=k.scale,_e=q[se];if(_e==null)return;let ye=g[se];if($==0){let Ce=ye.range(n,ye.min,ye.max,se);ye.min=Ce[0],ye.max=Ce[1],De=ci(ye.min,e[0]),Ue=ci(ye.max,e[0]),Ue-De>1&&(e[0][De]<ye.min&&De++,e[0][Ue]>ye.max&&Ue--),k.min=We[De],k.max=We[Ue]}else k.show&&k.auto&&$n(ye,_e,k,e[$],k.sorted);k.idxs[0]=De,k.idxs[1]=Ue}else if($>0&&k.show&&k.auto){let[se,_e]=k.facets,ye=se.scale,Ce=_e.scale,[Ne,Oe]=e[$],Fe=g[ye],Qe=g[Ce];Fe!=null&&$n(Fe,q[ye],se,Ne,se.sorted),Qe!=null&&$n(Qe,q[Ce],_e,Oe,_e.sorted),k.min=_e.min,k.max=_e.max}});for(let k in g){let $=g[k],se=q[k];if($.from==null&&(se==null||se.min==null)){let _e=$.range(n,$.min==yt?null:$.min,$.max==-yt?null:$.max,k);$.min=_e[0],$.max=_e[1]}}}for(let k in g){let $=g[k];if($.from!=null){let se=g[$.from];if(se.min==null)$.min=$.max=null;else{let _e=$.range(n,se.min,se.max,k);$.min=_e[0],$.max=_e[1]}}}let b={},D=!1;for(let k in g){let $=g[k],se=w[k];if(se.min!=$.min||se.max!=$.max){se.min=$.min,se.max=$.max;let _e=se.distr;se._min=_e==3?Ni(se.min):_e==4?Ll(se.min,se.asinh):_e==100?se.fwd(se.min):se.min,se._max=_e==3?Ni(se.max):_e==4?Ll(se.max,se.asinh):_e==100?se.fwd(se.max):se.max,b[k]=D=!0}}if(D){y.forEach((k,$)=>{s==2?$>0&&b.y&&(k._paths=null):b[k.scale]&&(k._paths=null)});for(let k in b)S=!0,rn("setScale",k);W&&B.left>=0&&(Z=ve=!0)}for(let k in q)q[k]=null}function Dr(g){let b=sc(De-1,0,Te-1),D=sc(Ue+1,0,Te-1);for(;g[b]==null&&b>0;)b--;for(;g[D]==null&&D<Te-1;)D++;return[b,D]}function Co(){if(Te>0){let g=y.some(b=>b._focus)&&Gt!=It.alpha;g&&(h.globalAlpha=Gt=It.alpha),y.forEach((b,D)=>{if(D>0&&b.show&&(Ur(D,!1),Ur(D,!0),b._paths==null)){let k=Gt;Gt!=b.alpha&&(h.globalAlpha=Gt=b.alpha);let $=s==2?[0,e[D][0].length-1]:Dr(e[D]);b._paths=b.paths(n,D,$[0],$[1]),Gt!=k&&(h.globalAlpha=Gt=k)}}),y.forEach((b,D)=>{if(D>0&&b.show){let k=Gt;Gt!=b.alpha&&(h.globalAlpha=Gt=b.alpha),b._paths!=null&&Bc(D,!1);{let $=b._paths!=null?b._paths.gaps:null,se=b.points.show(n,D,De,Ue,$),_e=b.points.filter(n,D,se,$);(se||_e)&&(b.points._paths=b.points.paths(n,D,De,Ue,_e),Bc(D,!0))}Gt!=k&&(h.globalAlpha=Gt=k),rn("drawSeries",D)}}),g&&(h.globalAlpha=Gt=1)}}function Ur(g,b){let D=b?y[g].points:y[g];D._stroke=D.stroke(n,g),D._fill=D.fill(n,g)}function Bc(g,b){let D=b?y[g].points:y[g],{stroke:k,fill:$,clip:se,flags:_e,_stroke:ye=D._stroke,_fill:Ce=D._fill,_width:Ne=D.width}=D._paths;Ne=Et(Ne*gt,3);let Oe=null,Fe=Ne%2/2;b&&Ce==null&&(Ce=Ne>0?"#fff":ye);let Qe=D.pxAlign==1&&Fe>0;if(Qe&&h.translate(Fe,Fe),!b){let mt=Be-Ne/2,dt=Le-Ne/2,at=Ve+Ne,je=qe+Ne;Oe=new Path2D,Oe.rect(mt,dt,at,je)}b?Po(ye,Ne,D.dash,D.cap,Ce,k,$,_e,se):bp(g,ye,Ne,D.dash,D.cap,Ce,k,$,_e,Oe,se),Qe&&h.translate(-Fe,-Fe)}function bp(g,b,D,k,$,se,_e,ye,Ce,Ne,Oe){let Fe=!1;Ce!=0&&V.forEach((Qe,mt)=>{if(Qe.series[0]==g){let dt=y[Qe.series[1]],at=e[Qe.series[1]],je=(dt._paths||Qr).band;Ji(je)&&(je=Qe.dir==1?je[0]:je[1]);let He,Rt=null;dt.show&&je&&OS(at,De,Ue)?(Rt=Qe.fill(n,mt)||se,He=dt._paths.clip):je=null,Po(b,D,k,$,Rt,_e,ye,Ce,Ne,Oe,He,je),Fe=!0}}),Fe||Po(b,D,k,$,se,_e,ye,Ce,Ne,Oe)}const zc=Tr|oc;function Po(g,b,D,k,$,se,_e,ye,Ce,Ne,Oe,Fe){Us(g,b,D,k,$),(Ce||Ne||Fe)&&(h.save(),Ce&&h.clip(Ce),Ne&&h.clip(Ne)),Fe?(ye&zc)==zc?(h.clip(Fe),Oe&&h.clip(Oe),da($,_e),fa(g,se,b)):ye&oc?(da($,_e),h.clip(Fe),fa(g,se,b)):ye&Tr&&(h.save(),h.clip(Fe),Oe&&h.clip(Oe),da($,_e),h.restore(),fa(g,se,b)):(da($,_e),fa(g,se,b)),(Ce||Ne||Fe)&&h.restore()}function fa(g,b,D){D>0&&(b instanceof Map?b.forEach((k,$)=>{h.strokeStyle=Bt=$,h.stroke(k)}):b!=null&&g&&h.stroke(b))}function da(g,b){b instanceof Map?b.forEach((D,k)=>{h.fillStyle=Vt=k,h.fill(D)}):b!=null&&g&&h.fill(b)}function wp(g,b,D,k){let $=M[g],se;if(k<=0)se=[0,0];else{let _e=$._space=$.space(n,g,b,D,k),ye=$._incrs=$.incrs(n,g,b,D,k,_e);se=iE(b,D,ye,k,_e)}return $._found=se}function Lo(g,b,D,k,$,se,_e,ye,Ce,Ne){let Oe=_e%2/2;x==1&&h.translate(Oe,Oe),Us(ye,_e,Ce,Ne,ye),h.beginPath();let Fe,Qe,mt,dt,at=$+(k==0||k==3?-se:se);D==0?(Qe=$,dt=at):(Fe=$,mt=at);for(let je=0;je<g.length;je++)b[je]!=null&&(D==0?Fe=mt=g[je]:Qe=dt=g[je],h.moveTo(Fe,Qe),h.lineTo(mt,dt));h.stroke(),x==1&&h.translate(-Oe,-Oe)}function Tp(g){let b=!0;return M.forEach((D,k)=>{if(!D.show)return;let $=w[D.scale];if($.min==null){D._show&&(b=!1,D._show=!1,Ns(!1));return}else D._show||(b=!1,D._show=!0,Ns(!1));let se=D.side,_e=se%2,{min:ye,max:Ce}=$,[Ne,Oe]=wp(k,ye,Ce,_e==0?he:me);if(Oe==0)return;let Fe=$.distr==2,Qe=D._splits=D.splits(n,k,ye,Ce,Ne,Oe,Fe),mt=$.distr==2?Qe.map(He=>We[He]):Qe,dt=$.distr==2?We[Qe[1]]-We[Qe[0]]:Ne,at=D._values=D.values(n,D.filter(n,mt,k,Oe,dt),k,Oe,dt);D._rotate=se==2?D.rotate(n,at,k,Oe):0;let je=D._size;D._size=Kn(D.size(n,at,k,g)),je!=null&&D._size!=je&&(b=!1)}),b}function Ap(g){let b=!0;return le.forEach((D,k)=>{let $=D(n,k,P,g);$!=ae[k]&&(b=!1),ae[k]=$}),b}function Rp(){for(let g=0;g<M.length;g++){let b=M[g];if(!b.show||!b._show)continue;let D=b.side,k=D%2,$,se,_e=b.stroke(n,g),ye=D==0||D==3?-1:1,[Ce,Ne]=b._found;if(b.label!=null){let Sn=b.labelGap*ye,Fn=qt((b._lpos+Sn)*gt);Yt(b.labelFont[0],_e,"center",D==2?Wr:Yh),h.save(),k==1?($=se=0,h.translate(Fn,qt(Le+qe/2)),h.rotate((D==3?-Ka:Ka)/2)):($=qt(Be+Ve/2),se=Fn);let ls=Bd(b.label)?b.label(n,g,Ce,Ne):b.label;h.fillText(ls,$,se),h.restore()}if(Ne==0)continue;let Oe=w[b.scale],Fe=k==0?Ve:qe,Qe=k==0?Be:Le,mt=b._splits,dt=Oe.distr==2?mt.map(Sn=>We[Sn]):mt,at=Oe.distr==2?We[mt[1]]-We[mt[0]]:Ce,je=b.ticks,He=b.border,Rt=je.show?je.size:0,Ot=qt(Rt*gt),an=qt((b.alignTo==2?b._size-Rt-b.gap:b.gap)*gt),Mt=b._rotate*-Ka/180,Ft=m(b._pos*gt),Nn=(Ot+an)*ye,Mn=Ft+Nn;se=k==0?Mn:0,$=k==1?Mn:0;let Xn=b.font[0],ni=b.align==1?cr:b.align==2?Rl:Mt>0?cr:Mt<0?Rl:k==0?"center":D==3?Rl:cr,gi=Mt||k==1?"middle":D==2?Wr:Yh;Yt(Xn,_e,ni,gi);let On=b.font[1]*b.lineGap,Yn=mt.map(Sn=>m(o(Sn,Oe,Fe,Qe))),ii=b._values;for(let Sn=0;Sn<ii.length;Sn++){let Fn=ii[Sn];if(Fn!=null){k==0?$=Yn[Sn]:se=Yn[Sn],Fn=""+Fn;let ls=Fn.indexOf(`
`)==-1?[Fn]:Fn.split(/\n/gm);for(let yn=0;yn<ls.length;yn++){let ru=ls[yn];Mt?(h.save(),h.translate($,se+yn*On),h.rotate(Mt),h.fillText(ru,0,0),h.restore()):h.fillText(ru,$,se+yn*On)}}}je.show&&Lo(Yn,je.filter(n,dt,g,Ne,at),k,D,Ft,Ot,Et(je.width*gt,3),je.stroke(n,g),je.dash,je.cap);let _i=b.grid;_i.show&&Lo(Yn,_i.filter(n,dt,g,Ne,at),k,k==0?2:1,k==0?Le:Be,k==0?qe:Ve,Et(_i.width*gt,3),_i.stroke(n,g),_i.dash,_i.cap),He.show&&Lo([Ft],[1],k==0?1:0,k==0?1:2,k==1?Le:Be,k==1?qe:Ve,Et(He.width*gt,3),He.stroke(n,g),He.dash,He.cap)}rn("drawAxes")}function Ns(g){y.forEach((b,D)=>{D>0&&(b._paths=null,g&&(s==1?(b.min=null,b.max=null):b.facets.forEach(k=>{k.min=null,k.max=null})))})}let pa=!1,Do=!1,Ir=[];function Cp(){Do=!1;for(let g=0;g<Ir.length;g++)rn(...Ir[g]);Ir.length=0}function Os(){pa||(KS(Hc),pa=!0)}function Pp(g,b=!1){pa=!0,Do=b,g(n),Hc(),b&&Ir.length>0&&queueMicrotask(Cp)}n.batch=Pp;function Hc(){if(ft&&(Rn(),ft=!1),S&&(bt(),S=!1),Je){if(Ct(p,cr,Se),Ct(p,Wr,be),Ct(p,Yr,he),Ct(p,qr,me),Ct(_,cr,Se),Ct(_,Wr,be),Ct(_,Yr,he),Ct(_,qr,me),Ct(f,Yr,ge),Ct(f,qr,Me),u.width=qt(ge*gt),u.height=qt(Me*gt),M.forEach(({_el:g,_show:b,_size:D,_pos:k,side:$})=>{if(g!=null)if(b){let se=$===3||$===0?D:0,_e=$%2==1;Ct(g,_e?"left":"top",k-se),Ct(g,_e?"width":"height",D),Ct(g,_e?"top":"left",_e?be:Se),Ct(g,_e?"height":"width",_e?me:he),nc(g,Ss)}else zn(g,Ss)}),Bt=Vt=In=Ze=wi=xt=ti=Ds=ct=null,Gt=1,Fr(!0),Se!=Ye||be!=Ae||he!=ke||me!=et){Ns(!1);let g=he/ke,b=me/et;if(W&&!Z&&B.left>=0){B.left*=g,B.top*=b,Fs&&vi(Fs,qt(B.left),0,he,me),ks&&vi(ks,0,qt(B.top),he,me);for(let D=0;D<tn.length;D++){let k=tn[D];k!=null&&(ei[D]*=g,bi[D]*=b,vi(k,Kn(ei[D]),Kn(bi[D]),he,me))}}if(At.show&&!re&&At.left>=0&&At.width>0){At.left*=g,At.width*=g,At.top*=b,At.height*=b;for(let D in ko)Ct(Hs,D,At[D])}Ye=Se,Ae=be,ke=he,et=me}rn("setSize"),Je=!1}ge>0&&Me>0&&(h.clearRect(0,0,u.width,u.height),rn("drawClear"),N.forEach(g=>g()),rn("draw")),At.show&&re&&(ma(At),re=!1),W&&Z&&(os(null,!0,!1),Z=!1),O.show&&O.live&&ve&&(Oo(),ve=!1),l||(l=!0,n.status=1,rn("ready")),Ke=!1,pa=!1}n.redraw=(g,b)=>{S=b||!1,g!==!1?Hi(T,L.min,L.max):Os()};function Uo(g,b){let D=w[g];if(D.from==null){if(Te==0){let k=D.range(n,b.min,b.max,g);b.min=k[0],b.max=k[1]}if(b.min>b.max){let k=b.min;b.min=b.max,b.max=k}if(Te>1&&b.min!=null&&b.max!=null&&b.max-b.min<1e-16)return;g==T&&D.distr==2&&Te>0&&(b.min=ci(b.min,e[0]),b.max=ci(b.max,e[0]),b.min==b.max&&b.max++),q[g]=b,ft=!0,Os()}}n.setScale=Uo;let Io,No,Fs,ks,Vc,Gc,Bs,zs,Wc,$c,Tt,Ut,zi=!1;const cn=B.drag;let nn=cn.x,sn=cn.y;W&&(B.x&&(Io=jn(MS,_)),B.y&&(No=jn(SS,_)),L.ori==0?(Fs=Io,ks=No):(Fs=No,ks=Io),Tt=B.left,Ut=B.top);const At=n.select=Xt({show:!0,over:!0,left:0,width:0,top:0,height:0},i.select),Hs=At.show?jn(xS,At.over?_:p):null;function ma(g,b){if(At.show){for(let D in g)At[D]=g[D],D in ko&&Ct(Hs,D,g[D]);b!==!1&&rn("setSelect")}}n.setSelect=ma;function Lp(g){if(y[g].show)U&&nc(F[g],Ss);else if(U&&zn(F[g],Ss),W){let D=dn?tn[0]:tn[g];D!=null&&vi(D,-10,-10,he,me)}}function Hi(g,b,D){Uo(g,{min:b,max:D})}function pi(g,b,D,k){b.focus!=null&&Op(g),b.show!=null&&y.forEach(($,se)=>{se>0&&(g==se||g==null)&&($.show=b.show,Lp(se),s==2?(Hi($.facets[0].scale,null,null),Hi($.facets[1].scale,null,null)):Hi($.scale,null,null),Os())}),D!==!1&&rn("setSeries",g,b),k&&kr("setSeries",n,g,b)}n.setSeries=pi;function Dp(g,b){Xt(V[g],b)}function Up(g,b){g.fill=ot(g.fill||null),g.dir=pt(g.dir,-1),b=b??V.length,V.splice(b,0,g)}function Ip(g){g==null?V.length=0:V.splice(g,1)}n.addBand=Up,n.setBand=Dp,n.delBand=Ip;function Np(g,b){y[g].alpha=b,W&&tn[g]!=null&&(tn[g].style.opacity=b),U&&F[g]&&(F[g].style.opacity=b)}let Ti,Vi,as;const Vs={focus:!0};function Op(g){if(g!=as){let b=g==null,D=It.alpha!=1;y.forEach((k,$)=>{if(s==1||$>0){let se=b||$==0||$==g;k._focus=b?null:se,D&&Np($,se?1:It.alpha)}}),as=g,D&&Os()}}U&&xn&&R(Zh,Q,g=>{B._lock||(ut(g),as!=null&&pi(null,Vs,!0,Wt.setSeries))});function mi(g,b,D){let k=w[b];D&&(g=g/gt-(k.ori==1?be:Se));let $=he;k.ori==1&&($=me,g=$-g),k.dir==-1&&(g=$-g);let se=k._min,_e=k._max,ye=g/$,Ce=se+(_e-se)*ye,Ne=k.distr;return Ne==3?Er(10,Ce):Ne==4?kS(Ce,k.asinh):Ne==100?k.bwd(Ce):Ce}function Fp(g,b){let D=mi(g,T,b);return ci(D,e[0],De,Ue)}n.valToIdx=g=>ci(g,e[0]),n.posToIdx=Fp,n.posToVal=mi,n.valToPos=(g,b,D)=>w[b].ori==0?r(g,w[b],D?Ve:he,D?Be:0):a(g,w[b],D?qe:me,D?Le:0),n.setCursor=(g,b,D)=>{Tt=g.left,Ut=g.top,os(null,b,D)};function Xc(g,b){Ct(Hs,cr,At.left=g),Ct(Hs,Yr,At.width=b)}function Yc(g,b){Ct(Hs,Wr,At.top=g),Ct(Hs,qr,At.height=b)}let Nr=L.ori==0?Xc:Yc,Or=L.ori==1?Xc:Yc;function kp(){if(U&&O.live)for(let g=s==2?1:0;g<y.length;g++){if(g==0&&Ee)continue;let b=O.values[g],D=0;for(let k in b)pe[g][D++].firstChild.nodeValue=b[k]}}function Oo(g,b){if(g!=null&&(g.idxs?g.idxs.forEach((D,k)=>{ce[k]=D}):VS(g.idx)||ce.fill(g.idx),O.idx=ce[0]),U&&O.live){for(let D=0;D<y.length;D++)(D>0||s==1&&!Ee)&&Bp(D,ce[D]);kp()}ve=!1,b!==!1&&rn("setLegend")}n.setLegend=Oo;function Bp(g,b){let D=y[g],k=g==0&&z==2?We:e[g],$;Ee?$=D.values(n,g,b)??xe:($=D.value(n,b==null?null:k[b],g,b),$=$==null?xe:{_:$}),O.values[g]=$}function os(g,b,D){Wc=Tt,$c=Ut,[Tt,Ut]=B.move(n,Tt,Ut),B.left=Tt,B.top=Ut,W&&(Fs&&vi(Fs,qt(Tt),0,he,me),ks&&vi(ks,0,qt(Ut),he,me));let k,$=De>Ue;Ti=yt,Vi=null;let se=L.ori==0?he:me,_e=L.ori==1?he:me;if(Tt<0||Te==0||$){k=B.idx=null;for(let ye=0;ye<y.length;ye++){let Ce=tn[ye];Ce!=null&&vi(Ce,-10,-10,he,me)}xn&&pi(null,Vs,!0,g==null&&Wt.setSeries),O.live&&(ce.fill(k),ve=!0)}else{let ye,Ce,Ne;s==1&&(ye=L.ori==0?Tt:Ut,Ce=mi(ye,T),k=B.idx=ci(Ce,e[0],De,Ue),Ne=I(e[0][k],L,se,0));let Oe=-10,Fe=-10,Qe=0,mt=0,dt=!0,at="",je="";for(let He=s==2?1:0;He<y.length;He++){let Rt=y[He],Ot=ce[He],an=Ot==null?null:s==1?e[He][Ot]:e[He][1][Ot],Mt=B.dataIdx(n,He,k,Ce),Ft=Mt==null?null:s==1?e[He][Mt]:e[He][1][Mt];if(ve=ve||Ft!=an||Mt!=Ot,ce[He]=Mt,He>0&&Rt.show){let Nn=Mt==null?-10:Mt==k?Ne:I(s==1?e[0][Mt]:e[He][0][Mt],L,se,0),Mn=Ft==null?-10:K(Ft,s==1?w[Rt.scale]:w[Rt.facets[1].scale],_e,0);if(xn&&Ft!=null){let Xn=L.ori==1?Tt:Ut,ni=Kt(It.dist(n,He,Mt,Mn,Xn));if(ni<Ti){let gi=It.bias;if(gi!=0){let On=mi(Xn,Rt.scale),Yn=Ft>=0?1:-1,ii=On>=0?1:-1;ii==Yn&&(ii==1?gi==1?Ft>=On:Ft<=On:gi==1?Ft<=On:Ft>=On)&&(Ti=ni,Vi=He)}else Ti=ni,Vi=He}}if(ve||dn){let Xn,ni;L.ori==0?(Xn=Nn,ni=Mn):(Xn=Mn,ni=Nn);let gi,On,Yn,ii,_i,Sn,Fn=!0,ls=wt.bbox;if(ls!=null){Fn=!1;let yn=ls(n,He);Yn=yn.left,ii=yn.top,gi=yn.width,On=yn.height}else Yn=Xn,ii=ni,gi=On=wt.size(n,He);if(Sn=wt.fill(n,He),_i=wt.stroke(n,He),dn)He==Vi&&Ti<=It.prox&&(Oe=Yn,Fe=ii,Qe=gi,mt=On,dt=Fn,at=Sn,je=_i);else{let yn=tn[He];yn!=null&&(ei[He]=Yn,bi[He]=ii,rf(yn,gi,On,Fn),nf(yn,Sn,_i),vi(yn,Kn(Yn),Kn(ii),he,me))}}}}if(dn){let He=It.prox,Rt=as==null?Ti<=He:Ti>He||Vi!=as;if(ve||Rt){let Ot=tn[0];Ot!=null&&(ei[0]=Oe,bi[0]=Fe,rf(Ot,Qe,mt,dt),nf(Ot,at,je),vi(Ot,Kn(Oe),Kn(Fe),he,me))}}}if(At.show&&zi)if(g!=null){let[ye,Ce]=Wt.scales,[Ne,Oe]=Wt.match,[Fe,Qe]=g.cursor.sync.scales,mt=g.cursor.drag;if(nn=mt._x,sn=mt._y,nn||sn){let{left:dt,top:at,width:je,height:He}=g.select,Rt=g.scales[Fe].ori,Ot=g.posToVal,an,Mt,Ft,Nn,Mn,Xn=ye!=null&&Ne(ye,Fe),ni=Ce!=null&&Oe(Ce,Qe);Xn&&nn?(Rt==0?(an=dt,Mt=je):(an=at,Mt=He),Ft=w[ye],Nn=I(Ot(an,Fe),Ft,se,0),Mn=I(Ot(an+Mt,Fe),Ft,se,0),Nr(fi(Nn,Mn),Kt(Mn-Nn))):Nr(0,se),ni&&sn?(Rt==1?(an=dt,Mt=je):(an=at,Mt=He),Ft=w[Ce],Nn=K(Ot(an,Qe),Ft,_e,0),Mn=K(Ot(an+Mt,Qe),Ft,_e,0),Or(fi(Nn,Mn),Kt(Mn-Nn))):Or(0,_e)}else Bo()}else{let ye=Kt(Wc-Vc),Ce=Kt($c-Gc);if(L.ori==1){let Qe=ye;ye=Ce,Ce=Qe}nn=cn.x&&ye>=cn.dist,sn=cn.y&&Ce>=cn.dist;let Ne=cn.uni;Ne!=null?nn&&sn&&(nn=ye>=Ne,sn=Ce>=Ne,!nn&&!sn&&(Ce>ye?sn=!0:nn=!0)):cn.x&&cn.y&&(nn||sn)&&(nn=sn=!0);let Oe,Fe;nn&&(L.ori==0?(Oe=Bs,Fe=Tt):(Oe=zs,Fe=Ut),Nr(fi(Oe,Fe),Kt(Fe-Oe)),sn||Or(0,_e)),sn&&(L.ori==1?(Oe=Bs,Fe=Tt):(Oe=zs,Fe=Ut),Or(fi(Oe,Fe),Kt(Fe-Oe)),nn||Nr(0,se)),!nn&&!sn&&(Nr(0,0),Or(0,0))}if(cn._x=nn,cn._y=sn,g==null){if(D){if(su!=null){let[ye,Ce]=Wt.scales;Wt.values[0]=ye!=null?mi(L.ori==0?Tt:Ut,ye):null,Wt.values[1]=Ce!=null?mi(L.ori==1?Tt:Ut,Ce):null}kr(Cl,n,Tt,Ut,he,me,k)}if(xn){let ye=D&&Wt.setSeries,Ce=It.prox;as==null?Ti<=Ce&&pi(Vi,Vs,!0,ye):Ti>Ce?pi(null,Vs,!0,ye):Vi!=as&&pi(Vi,Vs,!0,ye)}}ve&&(O.idx=k,Oo()),b!==!1&&rn("setCursor")}let Gi=null;Object.defineProperty(n,"rect",{get(){return Gi==null&&Fr(!1),Gi}});function Fr(g=!1){g?Gi=null:(Gi=_.getBoundingClientRect(),rn("syncRect",Gi))}function qc(g,b,D,k,$,se,_e){B._lock||zi&&g!=null&&g.movementX==0&&g.movementY==0||(Fo(g,b,D,k,$,se,_e,!1,g!=null),g!=null?os(null,!0,!0):os(b,!0,!1))}function Fo(g,b,D,k,$,se,_e,ye,Ce){if(Gi==null&&Fr(!1),ut(g),g!=null)D=g.clientX-Gi.left,k=g.clientY-Gi.top;else{if(D<0||k<0){Tt=-10,Ut=-10;return}let[Ne,Oe]=Wt.scales,Fe=b.cursor.sync,[Qe,mt]=Fe.values,[dt,at]=Fe.scales,[je,He]=Wt.match,Rt=b.axes[0].side%2==1,Ot=L.ori==0?he:me,an=L.ori==1?he:me,Mt=Rt?se:$,Ft=Rt?$:se,Nn=Rt?k:D,Mn=Rt?D:k;if(dt!=null?D=je(Ne,dt)?o(Qe,w[Ne],Ot,0):-10:D=Ot*(Nn/Mt),at!=null?k=He(Oe,at)?o(mt,w[Oe],an,0):-10:k=an*(Mn/Ft),L.ori==1){let Xn=D;D=k,k=Xn}}Ce&&(b==null||b.cursor.event.type==Cl)&&((D<=1||D>=he-1)&&(D=gs(D,he)),(k<=1||k>=me-1)&&(k=gs(k,me))),ye?(Vc=D,Gc=k,[Bs,zs]=B.move(n,D,k)):(Tt=D,Ut=k)}const ko={width:0,height:0,left:0,top:0};function Bo(){ma(ko,!1)}let jc,Kc,Zc,Jc;function Qc(g,b,D,k,$,se,_e){zi=!0,nn=sn=cn._x=cn._y=!1,Fo(g,b,D,k,$,se,_e,!0,!1),g!=null&&(R(Pl,ec,eu,!1),kr(jh,n,Bs,zs,he,me,null));let{left:ye,top:Ce,width:Ne,height:Oe}=At;jc=ye,Kc=Ce,Zc=Ne,Jc=Oe}function eu(g,b,D,k,$,se,_e){zi=cn._x=cn._y=!1,Fo(g,b,D,k,$,se,_e,!1,!0);let{left:ye,top:Ce,width:Ne,height:Oe}=At,Fe=Ne>0||Oe>0,Qe=jc!=ye||Kc!=Ce||Zc!=Ne||Jc!=Oe;if(Fe&&Qe&&ma(At),cn.setScale&&Fe&&Qe){let mt=ye,dt=Ne,at=Ce,je=Oe;if(L.ori==1&&(mt=Ce,dt=Oe,at=ye,je=Ne),nn&&Hi(T,mi(mt,T),mi(mt+dt,T)),sn)for(let He in w){let Rt=w[He];He!=T&&Rt.from==null&&Rt.min!=yt&&Hi(He,mi(at+je,He),mi(at,He))}Bo()}else B.lock&&(B._lock=!B._lock,os(b,!0,g!=null));g!=null&&(oe(Pl,ec),kr(Pl,n,Tt,Ut,he,me,null))}function zp(g,b,D,k,$,se,_e){if(B._lock)return;ut(g);let ye=zi;if(zi){let Ce=!0,Ne=!0,Oe=10,Fe,Qe;L.ori==0?(Fe=nn,Qe=sn):(Fe=sn,Qe=nn),Fe&&Qe&&(Ce=Tt<=Oe||Tt>=he-Oe,Ne=Ut<=Oe||Ut>=me-Oe),Fe&&Ce&&(Tt=Tt<Bs?0:he),Qe&&Ne&&(Ut=Ut<zs?0:me),os(null,!0,!0),zi=!1}Tt=-10,Ut=-10,ce.fill(null),os(null,!0,!0),ye&&(zi=ye)}function tu(g,b,D,k,$,se,_e){B._lock||(ut(g),Dt(),Bo(),g!=null&&kr(Jh,n,Tt,Ut,he,me,null))}function nu(){M.forEach(sE),Pe(n.width,n.height,!0)}ws(ao,_r,nu);const Gs={};Gs.mousedown=Qc,Gs.mousemove=qc,Gs.mouseup=eu,Gs.dblclick=tu,Gs.setSeries=(g,b,D,k)=>{let $=Wt.match[2];D=$(n,b,D),D!=-1&&pi(D,k,!0,!1)},W&&(R(jh,_,Qc),R(Cl,_,qc),R(Kh,_,g=>{ut(g),Fr(!1)}),R(Zh,_,zp),R(Jh,_,tu),lc.add(n),n.syncRect=Fr);const ga=n.hooks=i.hooks||{};function rn(g,b,D){Do?Ir.push([g,b,D]):g in ga&&ga[g].forEach(k=>{k.call(null,n,b,D)})}(i.plugins||[]).forEach(g=>{for(let b in g.hooks)ga[b]=(ga[b]||[]).concat(g.hooks[b])});const iu=(g,b,D)=>D,Wt=Xt({key:null,setSeries:!1,filters:{pub:uf,sub:uf},scales:[T,y[1]?y[1].scale:null],match:[hf,hf,iu],values:[null,null]},B.sync);Wt.match.length==2&&Wt.match.push(iu),B.sync=Wt;const su=Wt.key,zo=cp(su);function kr(g,b,D,k,$,se,_e){Wt.filters.pub(g,b,D,k,$,se,_e)&&zo.pub(g,b,D,k,$,se,_e)}zo.sub(n);function Hp(g,b,D,k,$,se,_e){Wt.filters.sub(g,b,D,k,$,se,_e)&&Gs[g](null,b,D,k,$,se,_e)}n.pub=Hp;function Vp(){zo.unsub(n),lc.delete(n),H.clear(),ic(ao,_r,nu),c.remove(),Q?.remove(),rn("destroy")}n.destroy=Vp;function Ho(){rn("init",i,e),nt(e||i.data,!1),q[T]?Uo(T,q[T]):Dt(),re=At.show&&(At.width>0||At.height>0),Z=ve=!0,Pe(i.width,i.height)}return y.forEach(ha),M.forEach(ee),t?t instanceof HTMLElement?(t.appendChild(c),Ho()):t(n,Ho):Ho(),n}vn.assign=Xt;vn.fmtNum=Pc;vn.rangeNum=oo;vn.rangeLog=Mo;vn.rangeAsinh=Rc;vn.orient=Ls;vn.pxRatio=gt;vn.join=jS;vn.fmtDate=Dc,vn.tzDate=ay;vn.sync=cp;{vn.addGap=Vy,vn.clipGaps=Eo;let i=vn.paths={points:mp};i.linear=_p,i.stepped=$y,i.bars=Xy,i.spline=qy}const Uf=60;function rE(i){return i.replace(/(\.\d*?)0+(?=\D|$)/,"$1").replace(/\.(?=\D|$)/,"")}function aE(i){let e=0;for(let t=0;t<i.length&&e<Uf;++t)i[t]!=null&&++e;return e<Uf}class ea{constructor(e,t,n,s=!1,r=""){this.unit=t,this.lines=n,this.log=s,this.element=A("section.chart",{"aria-label":e},A("h2.title",{title:r},e),this.box),this.observer.observe(this.box)}element;box=A("div.plot");plot=null;data=[[]];marks=[];observer=new ResizeObserver(()=>this.resize());set(e){this.data=e,this.plot?this.plot.setData(e):this.draw()}set_marks(e){this.marks=e,this.plot?.redraw(!1)}draw_marks(e){const{ctx:t}=e,{left:n,top:s,width:r,height:a}=e.bbox,o=devicePixelRatio||1;t.save(),t.lineWidth=o;for(const{step:l,kind:c}of this.marks){const u=Math.round(e.valToPos(l,"x",!0))+.5;u<n||u>n+r||(t.strokeStyle=Lt(c==="incident"?"--bad":"--series-3"),t.setLineDash(c==="incident"?[4*o,3*o]:[]),t.beginPath(),t.moveTo(u,c==="incident"?s:s+a-7*o),t.lineTo(u,s+a),t.stroke())}t.restore()}draw(){if(this.plot?.destroy(),this.box.replaceChildren(),this.box.clientWidth===0)return;const e={stroke:Lt("--muted"),grid:{stroke:Lt("--grid"),width:1},ticks:{stroke:Lt("--grid"),width:1,size:4},font:"11px system-ui, sans-serif",gap:4};this.plot=new vn({width:this.box.clientWidth,height:190,cursor:{sync:{key:"steps"},points:{size:6}},legend:{live:!0},hooks:{draw:[t=>this.draw_marks(t)]},scales:{x:{time:!1},y:{distr:this.log?3:1}},axes:[{...e,size:28},{...e,size:62,values:(t,n)=>n.map(s=>s===null?"":rE(Ui(s,this.unit)))}],series:[{label:"step",value:(t,n)=>n===null?"–":String(n)},...this.lines.map(t=>({label:t.label,stroke:Lt(t.colour),width:1.6,dash:t.dashed?[5,4]:void 0,spanGaps:!0,points:{show:(n,s)=>aE(n.data[s]),size:4},value:(n,s)=>s===null?"–":Ui(s,this.unit)}))]},this.data,this.box)}destroy(){this.observer.disconnect(),this.plot?.destroy()}resize(){this.plot?this.box.clientWidth>0&&this.box.clientWidth!==this.plot.width&&this.plot.setSize({width:this.box.clientWidth,height:190}):this.draw()}}const oE=2e3,lE=400,cE=12,uE=10,hE={compute:"computes",exposed_comm:"waits for its bytes",bubble:"waits for its partner",data_wait:"waits for the batch"},fE=44,If=5,Nf=620,Nl=8;function dE(i,e){let t=null,n=[],s=e.parameters.get("column")??"compute",r=e.parameters.get("steps")??"8",a=e.parameters.get("rows")??"auto",o=0,l=!1,c=!1,u=0;const h=A("div.controls"),f=A("div.verdict",{role:"status"}),p=A("canvas",{tabindex:0,role:"application","aria-label":"Heat map of ranks. Arrow keys choose a rank, Enter opens it."}),_=A("div.readout"),x=A("div.map",{},p,_),m=A("div.scale",{"aria-hidden":"true"}),d=A("div.slowest"),y=A("div.heat",{},A("div",{},x,m),d),M=A("section.panel",{hidden:!0});i.append(h,f,y,M);const w=aa(()=>L()),V=new ResizeObserver(()=>L());V.observe(x);function T(G,ce){if(!n[G])return;o=G,z();const{row:O,value:B,excess:U}=n[G],W=t.columns.find(Q=>Q.key===s),J=`rank ${O.rank}: ${Ui(B,W.unit)}, ${U>=0?"+":""}${_n(U)}`;Xe(_,A("strong",{},`rank ${O.rank}`),` ${Ui(B,W.unit)} `,A("span",{},`${U>=0?"+":""}${_n(U)} against its peers`),A("span.muted",{},Oh(O))),vr(J),ce&&ne(O.rank)}function C(){const G=new Map,ce=new Set(n.map(({row:B})=>B.host)),O=a==="auto"?ce.size>1?"host":"stage":a;return n.forEach(({row:B},U)=>{const W=O==="host"?B.host||"host":O==="data"?`data ${B.at.data}`:`stage ${B.at.pipeline}`,J=G.get(W);J?J.push(U):G.set(W,[U])}),[...G].map(([B,U])=>({label:B,cells:U}))}let N=[],E=null;function v(G){const ce=C(),O=Math.min(160,12+7*Math.max(...ce.map(de=>de.label.length))),B=Math.max(...ce.map(de=>de.cells.length)),U=G-O,W=de=>{const Ee=Math.max(1,Math.min(B,Math.floor(U/de))),xe=ce.reduce((Re,Ge)=>Re+Math.ceil(Ge.cells.length/Ee)*de+4,4);if(xe<=Nf||Ee<B)return{per_line:Ee,abreast:1,height:xe};const we=Math.max(1,Math.floor((U+Nl)/(B*de+Nl)));return{per_line:Ee,abreast:we,height:Math.ceil(ce.length/we)*(de+4)+4}};let J=Math.max(If,Math.min(fE,Math.floor(U/Math.min(B,128))));for(;J>If&&W(J).height>Nf;)--J;const{per_line:Q,abreast:j,height:X}=W(J);N=[];const F=[];let pe=4;return ce.forEach((de,Ee)=>{const xe=Ee%j;xe===0&&F.push({text:de.label,y:pe+J/2}),de.cells.forEach((we,Re)=>{N[we]={x:O+xe*(B*J+Nl)+Re%Q*J,y:pe+Math.floor(Re/Q)*J,size:J}}),xe===j-1&&(pe+=Math.ceil(de.cells.length/Q)*J+4)}),{height:Math.max(X,pe+4),labels:F,indent:O}}function L(){if(!t||c)return;const G=x.clientWidth-20;if(G<=0)return;const{height:ce,labels:O,indent:B}=v(G),U=devicePixelRatio||1;E=document.createElement("canvas");for(const F of[E,p])F.width=Math.floor(G*U),F.height=Math.floor(ce*U);p.style.width=`${G}px`,p.style.height=`${ce}px`;const W=E.getContext("2d");W.scale(U,U),W.font="12px system-ui, sans-serif",W.textBaseline="middle",W.fillStyle=Lt("--muted");let J=-1/0;for(const{text:F,y:pe}of O)pe<J||(W.fillText(F,0,pe,B-8),J=pe+14);const Q=new Set(t.stragglers.flatMap(F=>F.ranks)),j=Lt("--bad");W.textAlign="center";const X=fc();n.forEach((F,pe)=>{const{x:de,y:Ee,size:xe}=N[pe],we=xe>12?2:1,Re=xe-we,Ge=X(F.excess);W.fillStyle=Ge.css,W.fillRect(de,Ee,Re,Re),xe>=24&&(W.fillStyle=Ge.is_light?"#10131a":"#ffffff",W.fillText(String(F.row.rank),de+Re/2,Ee+Re/2)),Q.has(F.row.rank)&&(W.strokeStyle=j,W.lineWidth=xe>12?2:1,W.strokeRect(de+W.lineWidth/2,Ee+W.lineWidth/2,Re-W.lineWidth,Re-W.lineWidth))}),z()}function z(){const G=N[o];if(!E||!G)return;const ce=p.getContext("2d"),O=devicePixelRatio||1;if(ce.setTransform(1,0,0,1,0,0),ce.clearRect(0,0,p.width,p.height),ce.drawImage(E,0,0),document.activeElement!==p&&!l)return;ce.scale(O,O),ce.strokeStyle=Lt("--text"),ce.lineWidth=2;const B=G.size-(G.size>12?2:1);ce.strokeRect(G.x,G.y,B,B)}function I(G){const ce=p.getBoundingClientRect(),O=G.clientX-ce.left,B=G.clientY-ce.top;return N.findIndex(U=>O>=U.x&&O<U.x+U.size&&B>=U.y&&B<U.y+U.size)}p.addEventListener("mousemove",G=>{const ce=I(G);p.style.cursor=ce>=0?"pointer":"default",l=ce>=0,ce>=0&&ce!==o?T(ce,!1):z()}),p.addEventListener("mouseleave",()=>{l=!1,z()}),p.addEventListener("click",G=>T(I(G),!0)),p.addEventListener("focus",()=>T(o,!1)),p.addEventListener("blur",()=>z()),p.addEventListener("keydown",G=>{const ce=N[o];if(!ce)return;const O={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,-1],ArrowDown:[0,1]}[G.key];if(G.key==="Enter")T(o,!0);else if(O?.[0])T(Math.max(0,Math.min(n.length-1,o+O[0])),!1);else if(O){let B=-1,U=1/0,W=1/0;N.forEach(({x:J,y:Q},j)=>{const X=(Q-ce.y)*O[1],F=Math.abs(J-ce.x);X>0&&(X<U||X===U&&F<W)&&([B,U,W]=[j,X,F])}),B>=0&&T(B,!1)}else return;G.preventDefault(),G.stopPropagation()});function K(){Xe(h,wn("Colour",Qn(t.columns.map(G=>({value:G.key,label:G.label,group:G.group})),s,G=>{s=G,e.remember({column:G}),fe(!0)})),wn("Last steps",Qn(["1","4","8","16","64","256"].map(G=>({value:G,label:G})),r,G=>{r=G,e.remember({steps:G}),fe(!0)})),wn("Rows",Qn([{value:"auto",label:"automatic"},{value:"host",label:"hosts"},{value:"stage",label:"pipeline stages"},{value:"data",label:"data coordinate"}],a,G=>{a=G,e.remember({rows:G}),L()})),A("span.muted.steps",{}))}function q(){const G=t.columns.find(B=>B.key===s);n=Id(t,G);const ce=t.steps.at(-1);Xe(h.querySelector(".steps"),`steps ${t.steps[0]} to ${ce}, mean of ${t.steps.length}`),Xe(f,...t.stragglers.length?t.stragglers.slice(0,5).map(B=>A("div.straggler",{},A(`span.cause.${B.cause}`,{},Jl[B.cause]),` ${B.text} `,A("span.muted",{},`(${jt(B.seconds)} a step, its peers ${jt(B.usual_seconds)}; in ${B.votes} of ${B.steps} steps)`),A("button.plain",{onclick:()=>void ne(B.ranks[0])},"history"))):t.reading?[Ud(t.reading)]:[A("div.fine",{},t.steps.length<8&&e.run.kind==="trained"?"Fewer than 8 steps so far: nobody is judged yet.":"No rank stands out in the last steps.")],...t.problems.slice(0,3).map(B=>A("div.straggler",{},A("span.cause",{},"not shown"),` rank ${B.rank}: ${B.text}`)));const O=n.map((B,U)=>({cell:B,i:U})).sort((B,U)=>U.cell.excess-B.cell.excess).slice(0,cE);Xe(d,A("h2.title",{},"Outliers first"),A("table",{},A("thead",{},A("tr",{},A("th",{},"Rank"),A("th",{},"Value"),A("th",{},"Against peers"),A("th",{},"Where"))),A("tbody",{},...O.map(({cell:B})=>A("tr",{},A("td",{},A("button.link",{onclick:()=>void ne(B.row.rank)},String(B.row.rank))),A("td",{},Ui(B.value,G.unit)),A("td",{},`${B.excess>=0?"+":""}${_n(B.excess)}`),A("td.muted",{},Oh(B.row))))))),Xe(m,A("span",{},"−20 %"),A("span.gradient",{}),A("span",{},"+20 %"),A("span.muted",{},"against the median of the ranks with the same work")),L()}function te(G,ce){const O=ce.worst.slice(-16),B=new Map;for(const{step:W,tasks:J}of O)for(const Q of J){const j=`${Q.cause} ${Q.task}`,X=B.get(j)??{seconds:0,steps:0};B.set(j,{task:Q,seconds:X.seconds+Q.seconds,steps:X.steps+1,newest:W})}const U=[...B.values()].sort((W,J)=>J.seconds-W.seconds).slice(0,uE);return U.length===0?A("p.muted",{},"These steps were stored without their tasks."):A("div",{},A("h2",{},`Worst tasks of the last ${O.length===1?"step":`${O.length} steps`}`),A("div.scroll",{tabindex:0,role:"region","aria-label":"Worst tasks"},A("table",{},A("thead",{},A("tr",{},...["Task","The compute lane","Mean of these steps","Among the worst in","Show"].map(W=>A("th",{},W)))),A("tbody",{},...U.map(({task:W,seconds:J,steps:Q,newest:j})=>A("tr",{},A("td",{},W.name),A("td",{},hE[W.cause]),A("td",{},jt(J/Q)),A("td",{},`${Q} of ${O.length} steps`),A("td",{},A("button.link",{onclick:()=>e.go("timeline",{ranks:String(G),step:String(j)})},`step ${j}`))))))))}let ie=[];async function ne(G){ie.forEach(ce=>ce.destroy()),ie=[],M.hidden=!1;try{const ce=await gn(`/api/runs/${e.run.id}/rank?rank=${G}&steps=256`),O=A("button.plain",{onclick:()=>{M.hidden=!0,p.focus()}},"Close"),B=A("div.charts");Xe(M,A("div.head",{},A("h2",{tabindex:-1},`Rank ${G} beside its peers`),A("span.muted",{},`${ce.host||"host unknown"} · ${ce.peers} ranks with the same work`),A("button",{onclick:()=>e.go("timeline",{ranks:String(G),step:String(ce.steps.at(-1))})},"Timeline"),O),B),B.after(te(G,ce));const U=ce.columns.filter(W=>W.key===s||["compute","exposed_comm","bubble"].includes(W.key));for(const W of U){const J=new ea(`${W.group}: ${W.label}`,W.unit,[{label:`rank ${G}`,colour:"--series-1"},{label:"median",colour:"--series-3",dashed:!0}]);B.append(J.element),J.set([ce.steps,W.values,W.median]),ie.push(J)}M.querySelector("h2").focus(),M.scrollIntoView({block:"nearest"})}catch(ce){Xe(M,Zt(`Rank ${G} cannot be shown`,ce.message,"error"))}}async function fe(G=!1){window.clearTimeout(u);const ce=`steps=${r}&columns=${encodeURIComponent(s)}`;try{const O=await na(e.run,r,s);if(c||ce!==`steps=${r}&columns=${encodeURIComponent(s)}`)return;if(!O.columns.some(W=>W.key===s))return s=O.columns[0].key,void fe(G);const B=t===null,U=B||G||t.reading!==void 0||O.steps.at(-1)!==t.steps.at(-1)||O.steps.length!==t.steps.length;t=O,B&&K(),y.hidden=!1,U&&q()}catch(O){if(c)return;const B=O;t=null,y.hidden=!0,Xe(f,Zt(B.status===404?"No records of ranks":"Records cannot be read",B.message,B.status===404?"empty":"error"))}window.clearTimeout(u),u=window.setTimeout(()=>void fe(),t?.reading?lE:e.run.kind==="simulated"?6e4:oE)}return fe(),{leave(){c=!0,window.clearTimeout(u),V.disconnect(),w(),ie.forEach(G=>G.destroy())},key(G){return G.key!=="Escape"||M.hidden?!1:(M.hidden=!0,!0)}}}const Ol=10,Sp=["step","compute","exposed_comm","bubble","data_wait"];function pE(i){return i?.values.length?i.values.reduce((e,t)=>e+t,0)/i.values.length:0}function mE(i,e){if(!e)return 0;const t=new Map;i.ranks.forEach((s,r)=>{const[a,o]=t.get(s.at.pipeline)??[0,0];t.set(s.at.pipeline,[a+e.values[r],o+1])});const n=[...t.values()].map(([s,r])=>s/r);return n.length?n.reduce((s,r)=>s+r,0)/n.length:pE(e)}async function Of(i){const e=(await na(i,16,"")).columns.map(({key:t})=>t).filter(t=>t.startsWith("op.")||Sp.includes(t));return na(i,16,e.join(","))}function gE(i){const e=i.run.kind!=="simulated";return i.runs.filter(t=>t.id!==i.run.id&&t.kind!=="empty"&&t.kind==="simulated"===e&&t.job?.world_size===i.run.job?.world_size)}function Ff({label:i,predicted:e,measured:t},n,s){const r=e-t,a=A("span.difference",{title:`${r>0?"predicted too long":"predicted too short"}`}),o=A(`i.${r>0?"more":"less"}`,{});return o.style.width=`${100*Math.abs(r)/(s||1)}%`,a.append(o),A("tr",{},A("td",{},i),A("td",{},jt(e)),A("td",{},jt(t)),A("td",{},`${r>0?"+":r<0?"−":""}${jt(Math.abs(r))}`),A("td",{},t>0?`${r>=0?"+":""}${_n(r/t,0)}`:"–"),A("td",{},n>0?_n(Math.abs(r)/n):"–"),A("td.wide",{},a))}function _E(i,e){const t=gE(e),n=A("div");if(i.append(A("h2",{},"Predicted beside measured"),n),t.length===0){const o=e.run.kind==="simulated"?`megascale serve RUN_DIR ${e.run.path}`:`megascale serve ${e.run.path} DIR`,l=`megascale simulate ${e.run.path}/config.toml --cluster FILE --keep DIR`;Xe(n,A("p.muted",{},"Serve a measured and a simulated run of the same job together to see which op kinds the simulator predicts badly: ",e.run.kind==="simulated"?null:A("code",{},l),e.run.kind==="simulated"?null:", then ",A("code",{},o),"."));return}let s=t.find(o=>String(o.id)===e.parameters.get("beside"))??t[0];const r=A("div");Xe(n,A("div.controls",{},wn(e.run.kind==="simulated"?"Measured run":"Simulated run",Qn(t.map(o=>({value:String(o.id),label:o.name})),String(s.id),o=>{s=t.find(l=>String(l.id)===o),e.remember({beside:o}),a()}))),r);async function a(){try{const[o,l]=await Promise.all([Of(e.run),Of(s)]),[c,u]=e.run.kind==="simulated"?[o,l]:[l,o],h=(y,M)=>mE(y,y.columns.find(w=>w.key===M)),f=y=>({label:(u.columns.find(w=>w.key===y)??c.columns.find(w=>w.key===y)).label,predicted:h(c,y),measured:h(u,y)}),p=h(u,"step"),_=[...new Set([...u.columns,...c.columns].map(({key:y})=>y).filter(y=>y.startsWith("op.")))].map(f);_.sort((y,M)=>Math.abs(M.predicted-M.measured)-Math.abs(y.predicted-y.measured));const x=Math.max(..._.map(y=>Math.abs(y.predicted-y.measured))),m=y=>A("thead",{},A("tr",{},...[y,"Predicted","Measured","Difference","Of the kind","Of the step","Picture"].map(M=>A("th",{},M)))),d=Sp.map(f);Xe(r,A("div.scroll",{tabindex:0,role:"region","aria-label":"Parts of the step"},A("table",{},m("Part of the step"),A("tbody",{},...d.map(y=>Ff(y,p,Math.max(...d.map(M=>Math.abs(M.predicted-M.measured)))))))),A("h2",{},_.length>Ol?`The ${Ol} op kinds with the largest difference`:"Op kinds"),A("div.scroll",{tabindex:0,role:"region","aria-label":"Op kinds"},A("table",{},m("Op kind"),A("tbody",{},..._.slice(0,Ol).map(y=>Ff(y,p,x))))),A("p.muted",{},`Means over the recorded ranks of each stage: ${u.steps.length} measured steps of ${u.ranks.length} ranks, ${c.ranks.length} simulated ranks. megascale simulate --compare prints the medians.`))}catch(o){Xe(r,Zt("The two runs cannot be compared",o.message,"empty"))}}a()}const vE=600,Fl=1e3,kl=100;function Bl(i,e){const t=document.createElementNS("http://www.w3.org/2000/svg",i);for(const[n,s]of Object.entries(e))t.setAttribute(n,s);return t}function xE(i,e,t){const n=[],s=[];for(let r=0;r+1<i.length;++r){const[a,o]=[i[r].toFixed(1),i[r+1].toFixed(1)];n.push(`${a},${t[r].toFixed(2)} ${o},${t[r].toFixed(2)}`),s.push(`${o},${e[r].toFixed(2)} ${a},${e[r].toFixed(2)}`)}return[...n,...s.reverse()].join(" ")}function ME(i,e,t,n){const s=A("div"),r=t.stages.map(h=>String(h.first_rank));let a=e.parameters.get("rank")??r[0];const o=h=>{a=h,e.remember({rank:a}),c()},l=A("input",{value:a,size:7,inputmode:"numeric"});l.addEventListener("change",()=>o(l.value)),i.append(A("h2",{},"Memory in the course of a step"),A("div.controls",{},t.stages.length>1?wn("First rank of",Qn(t.stages.map((h,f)=>({value:r[f],label:`stage ${h.stage}`})),a,h=>{l.value=h,o(h)})):null,wn("Rank",l)),s);async function c(){try{u(await gn(`/api/runs/${e.run.id}/memory?rank=${encodeURIComponent(a)}&points=${vE}`))}catch(h){Xe(s,A("p.muted",{},`Not known: ${h.message}`))}}function u(h){const f=n.filter(N=>h.bytes[N]),p=h.time.map((N,E)=>f.reduce((v,L)=>v+h.bytes[L][E],0)),_=p.indexOf(Math.max(...p)),x=Math.max(1,h.end,h.time.at(-1)??0),m=[...h.time.map(N=>Math.max(0,N)/x*Fl),Fl],d=Bl("svg",{viewBox:`0 0 ${Fl} ${kl}`,preserveAspectRatio:"none",role:"img","aria-label":`Memory of rank ${h.rank}: at most ${ln(p[_])} of ${ln(h.arena_bytes)}`}),y=N=>kl*(1-N/h.arena_bytes);let M=p.map(()=>0);for(const N of f){const E=M.map((v,L)=>v+h.bytes[N][L]);d.append(Bl("polygon",{class:`memory-${n.indexOf(N)}`,points:xE(m,M.map(y),E.map(y))})),M=E}const w=Bl("line",{class:"at",y1:"0",y2:String(kl)});d.append(w);const V=A("input",{type:"range",min:0,max:h.time.length-1,value:_}),T=A("table.at-time",{}),C=N=>{w.setAttribute("x1",m[N].toFixed(1)),w.setAttribute("x2",m[N].toFixed(1)),Xe(T,A("thead",{},A("tr",{},A("th",{},"Category"),A("th",{},`at ${jt(Math.max(0,h.time[N])*1e-9)}`),A("th",{},"at the peak"))),A("tbody",{},...[...f,"all"].map(E=>A("tr",{},A("td",{},E==="all"?null:A(`i.dot.memory-${n.indexOf(E)}`),E.replace("_"," ")),...[N,_].map(v=>A("td",{},ln(E==="all"?p[v]:h.bytes[E][v])))))))};V.addEventListener("input",()=>C(Number(V.value))),d.addEventListener("pointermove",N=>{const E=d.getBoundingClientRect(),v=(N.clientX-E.left)/E.width*x,L=Math.max(0,h.time.findLastIndex(z=>z<=v));V.value=String(L),C(L)}),C(_),Xe(s,A("div.over-time",{},A("div.bytes",{"aria-hidden":"true"},A("span",{},ln(h.arena_bytes)),A("span",{},ln(h.arena_bytes/2)),A("span",{},"0")),A("div",{},d,A("div.times",{"aria-hidden":"true"},A("span",{},"0"),A("span",{},jt(x*5e-10)),A("span",{},jt(x*1e-9))),wn("Time in the step",V)),T),A("p.muted",{},`Step ${h.step} of rank ${h.rank}: at most ${ln(p[_])} hold something that is needed; the arena has ${ln(h.arena_bytes)}. A part of a buffer counts as all of it, so the sum may be a little larger than the arena.`))}c()}function SE(i,e){const t=A("div"),n=new uo("The job");return i.append(t),(async()=>{try{const s=await gn(`/api/runs/${e.run.id}/plan`),r=Math.max(...s.stages.map(l=>l.arena_bytes)),a=Object.keys(s.stages[0].memory).filter(l=>s.stages.some(c=>c.memory[l]>0)),o=e.run.job;n.show([kt("Ranks",String(s.world_size),o?bc(o):""),kt("Parameters",o?Jn(o.parameters):"–"),kt("FLOPs a step",Jn(s.model_flops),`${Jn(s.executed_flops)} executed`),kt("Largest arena",ln(r),"planned, exact")]),Xe(t,n.element,A("h2",{},"Memory of a rank, by stage"),A("div.legend",{},...a.map((l,c)=>A("span",{},A(`i.memory-${c}`),l.replace("_"," ")))),...s.stages.map(l=>{const c=A("div.memory",{},A("span.name",{},`stage ${l.stage}`),A("span.muted",{},`${l.ranks} ranks from ${l.first_rank}, ${Jn(l.tasks)} tasks`)),u=A("div.bar",{role:"img","aria-label":`stage ${l.stage}: ${ln(l.arena_bytes)}`});return a.forEach((h,f)=>{const p=A(`span.memory-${f}`,{title:`${h}: ${ln(l.memory[h])}`});p.style.width=`${100*l.memory[h]/r}%`,u.append(p)}),c.append(u,A("span",{},ln(l.arena_bytes))),c}),A("h2",{},"Bytes"),A("div.scroll",{tabindex:0,role:"region","aria-label":"Bytes by stage"},A("table",{},A("thead",{},A("tr",{},A("th",{},"Category"),...s.stages.map(l=>A("th",{},`stage ${l.stage}`)))),A("tbody",{},...a.map(l=>A("tr",{},A("td",{},l.replace("_"," ")),...s.stages.map(c=>A("td",{},ln(c.memory[l]))))))))),ME(t,e,s,a),_E(t,e)}catch(s){Xe(t,Zt("The plan cannot be made",s.message,"error"))}})(),{leave:()=>n.destroy()}}const kf=1500,yE=[{title:"Loss",unit:"nats",meaning:"nats a token",metrics:[{name:"loss",label:"train"},{name:"validation_loss",label:"validation"}]},{title:"Tokens per second",unit:"",meaning:"tokens of a step relative to its wall time",metrics:[{name:"tokens_per_second",label:"tokens/s"}]},{title:"Utilization",unit:"ratio",meaning:"FLOPs relative to the peak of all ranks",metrics:[{name:"mfu",label:"MFU"},{name:"hfu",label:"HFU"}]},{title:"Step time",unit:"seconds",meaning:"wall time of a step",metrics:[{name:"step_seconds",label:"step"},{name:"checkpoint_stall_seconds",label:"checkpoint stall"}]},{title:"Waiting of rank 0",unit:"seconds",meaning:"why the compute lane of rank 0 stood still",metrics:[{name:"exposed_comm_seconds",label:"exposed communication"},{name:"bubble_seconds",label:"bubble"},{name:"data_wait_seconds",label:"data"}]},{title:"Memory",unit:"bytes",meaning:"the largest arena of all ranks",metrics:[{name:"memory_bytes",label:"arena"}]},{title:"Gradient norm",unit:"",meaning:"before clipping",metrics:[{name:"grad_norm",label:"norm"}]},{title:"Learning rate",unit:"",meaning:"of the step",metrics:[{name:"lr",label:"rate"}]}];class EE{columns={step:[]};checkpoints=[];replace({columns:e,checkpoints:t}){this.columns={step:[],...e},this.checkpoints=t}append(e){const t=this.columns.step.length,n=e.step.length;for(const s of new Set([...Object.keys(this.columns),...Object.keys(e)]))(this.columns[s]??=Array(t).fill(null)).push(...e[s]??Array(n).fill(null));e.checkpoint_stall_seconds?.forEach((s,r)=>{s!==null&&this.checkpoints.push(e.step[r])})}get last_step(){return this.columns.step.at(-1)??0}}function bE(i,e){const t=new Set((e.parameters.get("with")??"").split(",").filter(Boolean).map(Number)),n=new uo("Where the run stands"),s=A("div.charts"),r=A("div.legend"),a=A("div",{});i.append(n.element,p(),a);let o=null,l=!1,c=[],u=[];const h=new Map,f=aa(()=>c.forEach(({chart:T})=>T.draw()));function p(){const T=e.runs.filter(C=>C.id!==e.run.id&&C.kind==="trained");return T.length===0?A("div"):A("fieldset.overlay",{},A("legend",{},"Lay over"),...T.map(C=>{const N=A("input",{type:"checkbox",checked:t.has(C.id)});return N.addEventListener("change",()=>{N.checked?t.add(C.id):t.delete(C.id),e.remember({with:t.size?[...t].join(","):null}),x()}),A("label",{},N,` ${C.name}`)}))}function _(){return e.runs.filter(T=>T.id===e.run.id||t.has(T.id))}async function x(){o?.close();try{for(const T of _()){const C=await gn(`/api/runs/${T.id}/metrics?points=${kf}`),N=h.get(T.id)??new EE;N.replace(C),h.set(T.id,N)}}catch(T){l||Xe(a,Zt("Metrics cannot be read",T.message,"error"));return}e.run.has_job&&(u=await gn(`/api/runs/${e.run.id}/job`).then(T=>T.incidents,()=>[])),!l&&(d(),V())}function m(){return[...h.get(e.run.id).checkpoints.map(T=>({step:T,kind:"checkpoint"})),...u.filter(({step:T})=>T>=0).map(({step:T})=>({step:T,kind:"incident"}))]}function d(){if(c.forEach(({chart:T})=>T.destroy()),c=[],h.get(e.run.id).columns.step.length===0){Xe(a,e.run.kind==="simulated"?Zt("A simulated step has no metrics","Open Heat map, Timeline or Plan: they show the simulated records."):e.run.kind==="measured"?Zt("No metrics","A training writes them with its first step, megascale bench step writes none. Heat map, 3D, Timeline and Plan show the records."):e.run.kind==="empty"?Zt("This directory holds no run",`Start one with train.run_dir=${e.run.path}, or serve another directory.`):Zt("No step has ended yet","Metrics appear here with the first step."));return}s.replaceChildren();for(const T of yE){const C=T.metrics.filter(({name:v})=>_().some(L=>h.get(L.id)?.columns[v]?.some(z=>z!==null)));if(C.length===0)continue;const N=[];_().forEach((v,L)=>C.forEach(({label:z},I)=>N.push({label:_().length>1?`${v.name} ${z}`:z,colour:`--series-${(L*C.length+I)%6+1}`,dashed:L>0})));const E=new ea(T.title,T.unit,N,T.log,T.meaning);s.append(E.element),c.push({plot:{...T,metrics:C},chart:E})}Xe(a,r,s),M()}function y(T){const C=_().map(L=>h.get(L.id).columns);if(C.length===1)return[C[0].step,...T.metrics.map(({name:L})=>C[0][L]??[])];const N=[...new Set(C.flatMap(L=>L.step))].sort((L,z)=>L-z),E=new Map(N.map((L,z)=>[L,z])),v=C.flatMap(L=>T.metrics.map(({name:z})=>{const I=Array(N.length).fill(null);return L[z]?.forEach((K,q)=>I[E.get(L.step[q])]=K),I}));return[N,...v]}function M(){const T=m();for(const{plot:C,chart:N}of c)N.set_marks(T),N.set(y(C));Xe(r,T.some(({kind:C})=>C==="checkpoint")?A("span",{},A("i.mark.checkpoint"),`${h.get(e.run.id).checkpoints.length} checkpoints`):null,T.some(({kind:C})=>C==="incident")?A("span",{},A("i.mark.incident"),`${u.length} incidents: the page Cluster lists them`):null),w()}function w(){const T=h.get(e.run.id).columns,C=e.run.job,N=fe=>T[fe]?.at(-1)??null,E=h.get(e.run.id).last_step,v=(T.step_seconds??[]).slice(-50).filter(fe=>fe!==null).sort((fe,G)=>fe-G),L=v[Math.floor(v.length/2)],z=[];if(C){const fe=Math.min(1,E/C.train_iters),G=kt("Step",`${E.toLocaleString("en")}`,`of ${C.train_iters.toLocaleString("en")}`);G.append(A("progress",{max:1,value:fe,"aria-label":"Progress"})),z.push(G),E<C.train_iters&&L&&z.push(kt("Time left",vs((C.train_iters-E)*L),"at the median of 50 steps"))}const I=N("loss"),K=N("tokens_per_second"),q=N("mfu"),te=N("memory_bytes"),ie=N("consumed_tokens");I!==null&&z.push(kt("Loss",I.toFixed(4),`perplexity ${Jn(Math.exp(I))}`)),K!==null&&z.push(kt("Tokens/s",Jn(K),ie!==null?`${Jn(ie)} so far`:"")),q!==null&&z.push(kt("MFU",_n(q),N("hfu")!==null?`HFU ${_n(N("hfu"))}`:"")),L&&z.push(kt("Step time",jt(L),"median of 50")),te!==null&&z.push(kt("Memory",ln(te),"largest arena"));const ne=N("skipped_steps");ne&&z.push(kt("Skipped steps",String(ne),"loss or norm not finite")),C&&z.push(kt("Ranks",String(C.world_size),bc(C))),n.show(z)}function V(){const T=h.get(e.run.id);o=new EventSource(`/api/runs/${e.run.id}/stream?after=${T.last_step}`),o.addEventListener("metrics",C=>{const{columns:N}=JSON.parse(C.data),E=T.columns.step.length===0;T.append(N),T.columns.step.length>3*kf?x():E?d():M()}),o.addEventListener("reset",()=>void x())}return x(),{leave(){l=!0,o?.close(),f(),n.destroy(),c.forEach(({chart:T})=>T.destroy())}}}const Ki=74,wE=22,TE=4,AE=520,Bf=18,RE=1;class zf{constructor(e,t=()=>{}){this.on_row=t,this.canvas=A("canvas",{tabindex:0,role:"application","aria-label":`${e}. Arrow keys choose a cell.`}),this.element=A("div.map",{},this.canvas,this.readout),this.observer.observe(this.element),this.canvas.addEventListener("mousemove",n=>this.choose_at(n)),this.canvas.addEventListener("click",n=>{this.choose_at(n),this.on_row(this.row)}),this.canvas.addEventListener("keydown",n=>this.take_key(n));for(const n of["focus","blur"])this.canvas.addEventListener(n,()=>this.draw())}element;canvas;readout=A("div.readout");loads={rows:[],columns:[],row_name:"",column_name:""};row=0;column=0;observer=new ResizeObserver(()=>this.draw());stop_theme=aa(()=>this.draw());set(e){this.loads=e,this.choose(this.row,this.column)}destroy(){this.observer.disconnect(),this.stop_theme()}choose(e,t){this.row=Math.max(0,Math.min(this.loads.rows.length-1,e)),this.column=Math.max(0,Math.min(this.loads.columns.length-1,t));const n=this.loads.rows[this.row],s=n?.values[this.column];Xe(this.readout,n?A("span",{},`${this.loads.row_name} ${n.label}, ${this.loads.column_name} ${this.loads.columns[this.column]}: `,s==null?"not known":`${Qf(s)} tokens, ${n.mean>0?(s/n.mean).toFixed(2):"–"} times the mean`):null),this.draw()}choose_at(e){const t=this.canvas.getBoundingClientRect(),[n,s]=this.cell();e.clientX-t.left<Ki||this.choose(Math.floor((e.clientY-t.top)/s),Math.floor((e.clientX-t.left-Ki)/n))}take_key(e){const n={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0]}[e.key];if(n)this.choose(this.row+n[0],this.column+n[1]);else if(e.key==="Enter")this.on_row(this.row);else return;e.preventDefault(),e.stopPropagation()}cell(){const{rows:e,columns:t}=this.loads;return[(this.element.clientWidth-22-Ki)/Math.max(1,t.length),Math.max(TE,Math.min(wE,AE/Math.max(1,e.length)))]}draw(){const{rows:e,columns:t}=this.loads,[n,s]=this.cell();if(e.length===0||n<=0)return;const r=devicePixelRatio||1,a=Ki+n*t.length,o=e.length*s+Bf;this.canvas.width=Math.ceil(a*r),this.canvas.height=Math.ceil(o*r),this.canvas.style.width=`${a}px`,this.canvas.style.height=`${o}px`;const l=this.canvas.getContext("2d"),c=fc();l.scale(r,r),l.font="11px system-ui, sans-serif",l.textBaseline="middle";const u=n>5&&s>5?1:0,h=Math.max(1,Math.ceil(14/s)),f=Math.max(1,Math.ceil(46/n));e.forEach((p,_)=>{p.values.forEach((x,m)=>{l.fillStyle=x===null?Lt("--track"):c(ed/RE*(p.mean>0?x/p.mean-1:0)).css,l.fillRect(Ki+m*n,_*s,n-u,s-u)}),l.fillStyle=Lt("--muted"),l.textAlign="right",_%h===0&&l.fillText(`${this.loads.row_name} ${p.label}`,Ki-6,(_+.5)*s)}),l.textAlign="left",t.forEach((p,_)=>{_%f===0&&l.fillText(p,Ki+_*n,o-Bf/2+2)}),document.activeElement===this.canvas&&(l.strokeStyle=Lt("--text"),l.lineWidth=2,l.strokeRect(Ki+this.column*n,this.row*s,Math.max(2,n-u),s-u))}}const CE=3e3,PE=512,LE=1500,DE=10;function ur(i){const e=i.filter(t=>t!==null);return e.length?e.reduce((t,n)=>t+n,0)/e.length:0}function zl(i){const e=i.filter(t=>t!==null);return e.length?Math.max(...e):null}function UE(i,e){const t=new uo("Routing now"),n=A("div");i.append(t.element,n);const s=new zf("Load by layer and expert",C=>y(p.layers[C])),r=new zf("Load of the layer by expert and step"),a=new ea("Imbalance","",[{label:"worst layer",colour:"--series-1"},{label:"mean of layers",colour:"--series-3"},{label:"worst layer, by rank",colour:"--series-2",dashed:!0}],!1,"largest load of an expert, or of a rank with experts, relative to the mean"),o=new ea("Shares","ratio",[{label:"dropped",colour:"--series-2"},{label:"of the step, for imbalance",colour:"--series-4"}],!1,"choices that got no row; the share of the step for which the busiest ranks compute longer than the mean"),l=[{label:"balancing",colour:"--series-1"},{label:"z",colour:"--series-4"}],c=new ea("Losses of the router","",l,!1,"mean over the layers, nats a token, with their coefficients"),u=A("div.controls"),h=A("h2",{}),f=A("div");let p=null,_=-1,x=Number(e.parameters.get("layer")??-1),m=!1,d=0;function y(C){x=C,e.remember({layer:String(C)}),M()}function M(){const{layers:C,loads:N}=p,E=N.find(({step:L})=>L===_)??N.at(-1);if(!E)return;C.includes(x)||(x=C[0]);const v=C.indexOf(x);s.set({row_name:"layer",column_name:"expert",columns:E.loads[0].map((L,z)=>String(z)),rows:C.map((L,z)=>({label:String(L),values:E.loads[z],mean:ur(E.loads[z])}))}),r.set({row_name:"step",column_name:"expert",columns:E.loads[v].map((L,z)=>String(z)),rows:N.map(L=>({label:String(L.step),values:L.loads[v],mean:ur(L.loads[v])}))}),Xe(h,`Layer ${x} over the steps`),Xe(u,wn("Step",Qn([{value:"-1",label:"newest"},...N.map(({step:L})=>({value:String(L),label:String(L)})).reverse()],String(_),L=>{_=Number(L),M()})),wn("Layer",Qn(C.map(L=>({value:String(L),label:String(L)})),String(x),L=>y(Number(L)))),A("span.muted",{},`step ${E.step}: loads of the whole step over all ranks`)),w(E.loads)}function w(C){const{job:N}=e.run,v=C.flatMap((z,I)=>z.map((K,q)=>({layer:p.layers[I],expert:q,load:K??0,usual:ur(z)}))).filter(({usual:z})=>z>0).sort((z,I)=>I.load/I.usual-z.load/z.usual).slice(0,DE),L=z=>!N||N.experts===0||N.expert<=1?"all ranks of a stage":`place ${Math.floor(z/(N.experts/N.expert))} of ${N.expert} in an expert group`;Xe(f,A("h2",{},"Busiest experts"),A("div.scroll",{tabindex:0,role:"region","aria-label":"Busiest experts"},A("table",{},A("thead",{},A("tr",{},...["Layer","Expert","Load","Times the mean","Held by"].map(z=>A("th",{},z)))),A("tbody",{},...v.map(z=>A("tr",{},A("td",{},A("button.link",{onclick:()=>y(z.layer)},String(z.layer))),A("td",{},String(z.expert)),A("td",{},Qf(z.load)),A("td",{},(z.load/z.usual).toFixed(2)),A("td",{},L(z.expert))))))))}function V(C){const{step:N,imbalance:E,rank_imbalance:v,dropped:L,aux_loss:z,z_loss:I}=p,K=O=>C.columns[O]?.findLast(B=>B!==null)??null,q=E.at(-1)??[],te=zl(q),ie=e.run.job,ne=K("expert_dropped_share"),fe=K("expert_imbalance_share");t.show([kt("Experts",ie?.experts?String(ie.experts):"–",ie?.experts?`${p.layers.length} layers; a rank holds ${ie.expert>1?Ql(0,ie)+" and so on":"all"}`:""),kt("Worst layer",te===null?"–":`${te.toFixed(2)} ×`,te===null?"":`layer ${p.layers[q.indexOf(te)]}: busiest expert to the mean`),kt("Dropped",ne===null?Jn(L.at(-1)?.reduce((O,B)=>O+(B??0),0)??0):_n(ne),"of all choices in the newest step"),kt("Cost of imbalance",fe===null?"–":_n(fe),"of the step, estimated")]),a.set([N,E.map(zl),E.map(ur),v.map(zl)]);const{columns:G}=C,ce=G.step.map(()=>null);o.set([G.step,G.expert_dropped_share??ce,G.expert_imbalance_share??ce]),c.set([N,z.map(ur),I.map(ur)])}async function T(){window.clearTimeout(d);try{const[C,N]=await Promise.all([gn(`/api/runs/${e.run.id}/routing?steps=${PE}`),gn(`/api/runs/${e.run.id}/metrics?points=${LE}`)]);if(m)return;const E=p===null,v=E||C.step.at(-1)!==p.step.at(-1);p=C,E&&Xe(n,A("div.charts",{},a.element,o.element,c.element),A("h2",{},"Load by layer and expert"),u,s.element,A("div.scale",{"aria-hidden":"true"},A("span",{},"no load"),A("span.gradient",{}),A("span",{},"twice the mean or more"),A("span.muted",{},"a click chooses the layer below")),h,r.element,f),v&&V(N),v&&!u.contains(document.activeElement)&&M()}catch(C){if(m)return;const N=C;p===null&&Xe(n,Zt(N.status===404?"No routed experts":"Metrics cannot be read",N.message,N.status===404?"empty":"error"))}d=window.setTimeout(()=>void T(),CE)}return T(),{leave(){m=!0,window.clearTimeout(d),t.destroy(),s.destroy(),r.destroy();for(const C of[a,o,c])C.destroy()}}}function sa(i){return i.lane.start[i.index]}function Xa(i,e){let t=0,n=i.end.length;for(;t<n;){const s=t+n>>1;i.end[s]>e?n=s:t=s+1}return t}function Hl(i,e,t){for(const n of i.ranks[e].lanes){const s=n.id.indexOf(t);if(s>=0)return{rank:e,lane:n,index:s}}return null}function Hf(i,e){const t=e.lane.group?.[e.index];if(!t)return[];let n=0;for(let r=0;r<e.index;++r)e.lane.group[r]===t&&++n;const s=[];return i.ranks.forEach((r,a)=>{if(a!==e.rank)for(const o of r.lanes){let l=0;const c=o.group?.findIndex(u=>u===t&&l++===n)??-1;c>=0&&s.push({rank:a,lane:o,index:c})}}),s}function Vf(i,e){const t=e.lane.id[e.index],n=[];for(const s of i.ranks[e.rank].lanes)s.awaited.forEach((r,a)=>{r===t&&n.push({rank:e.rank,lane:s,index:a})});return n}function Gf(i){return i.reduce((e,t)=>sa(t)>sa(e)?t:e)}function IE(i,{rank:e,lane:t,index:n}){const s=i.plans[i.ranks[e].plan],r=t.id[n],a=p=>(t.end[p]-(t.group?t.matched[p]:t.start[p]))*1e-9,o=a(n),l=[];if(o<=0)return l;let c=0;const u=s.flops[r]>0?s.flops:s.bytes;t.id.forEach((p,_)=>{s.op[p]===s.op[r]&&a(_)>0&&(c=Math.max(c,u[p]/a(_)))});const h=`${_n(u[r]/o/(c||1),0)} of the fastest ${s.ops[s.op[r]]} here`,f=i.peak_flops;return s.flops[r]>0&&l.push(["FLOPs",`${Jn(s.flops[r])}FLOP, ${Jn(s.flops[r]/o)}FLOP/s: ${f?`${_n(s.flops[r]/o/f)} of the peak, `:""}${h}`]),s.bytes[r]>0&&l.push([t.group?"Bytes moved":"Bytes of operands",`${ln(s.bytes[r])}, ${ln(s.bytes[r]/o)}/s${s.flops[r]>0?"":`: ${h}`}`]),l}const oi=18,Wf=24,un=150,$f=24,NE=200,Xf={exposed_comm:"exposed communication",bubble:"bubble",data_wait:"wait for data"},OE=16;function FE(i,e,t,n,s,r){const a=s(sa(e)),o=s(t.lane.matched[t.index]),l=r(e),c=r(t);i.strokeStyle=i.fillStyle=Lt(n),i.lineWidth=2,i.beginPath(),i.moveTo(a,l),i.bezierCurveTo(a+18,l+(c-l)/3,o+18,c-(c-l)/3,o,c),i.stroke(),i.beginPath(),i.arc(o,c,3.5,0,7),i.fill()}function kE(i,e){let t=null,n=0,s=1,r=[],a=null,o=!1,l=null;const c=A("div.controls"),u=A("canvas",{tabindex:0,role:"application","aria-label":"Timeline. Keys a and d move, w and s zoom, arrows go from task to task."}),h=A("div.timeline",{},u),f=A("section.panel.details",{"aria-live":"polite"}),p=A("div.legend",{"aria-hidden":"true"}),_=A("div");i.append(c,_,h,p,f);const x=aa(()=>T()),m=new ResizeObserver(()=>T());m.observe(h);const d=()=>h.clientWidth,y=O=>un+(O-n)/(s-n)*(d()-un),M=O=>n+(O-un)/(d()-un)*(s-n);function w(){r=[];let O=$f;return t.ranks.forEach((B,U)=>{r.push({rank:U,lane:null,y:O}),O+=Wf;for(const W of B.lanes)r.push({rank:U,lane:W,y:O}),O+=oi;O+=6}),O}function V(O,B){return t.plans[t.ranks[O].plan].name[B]}function T(){if(!t||o||d()===0)return;const O=w(),B=devicePixelRatio||1;u.width=Math.floor(d()*B),u.height=Math.floor(O*B),u.style.width=`${d()}px`,u.style.height=`${O}px`;const U=u.getContext("2d");U.scale(B,B),U.font="11px system-ui, sans-serif",U.textBaseline="middle",C(U,O),U.save(),U.beginPath(),U.rect(un,0,d()-un,O),U.clip();for(const W of r)W.lane&&N(U,W);E(U),U.restore();for(const W of r){const J=t.ranks[W.rank];U.textAlign="left",U.fillStyle=Lt(W.lane?"--muted":"--text"),U.font=`${W.lane?"":"600 "}11px system-ui, sans-serif`;const Q=W.lane?W.lane.lane:`rank ${J.rank}${J.host?` · ${J.host}`:""}`;U.fillText(Q,W.lane?14:2,W.y+(W.lane?oi/2:Wf/2+2),un-18)}}function C(O,B){const U=(s-n)/Math.max(2,(d()-un)/110),W=10**Math.floor(Math.log10(U)),J=[1,2,5,10].map(Q=>Q*W).find(Q=>Q>=U);O.strokeStyle=Lt("--grid"),O.fillStyle=Lt("--muted"),O.textAlign="center",O.lineWidth=1;for(let Q=Math.ceil(n/J)*J;Q<=s;Q+=J){const j=Math.round(y(Q))+.5;j<un||(O.beginPath(),O.moveTo(j,$f-6),O.lineTo(j,B),O.stroke(),O.fillText(jt(Q*1e-9),j,8))}}function N(O,B){const{lane:U,y:W}=B,J=t.ranks[B.rank],Q=t.plans[J.plan];if(O.fillStyle=Lt("--track"),O.fillRect(un,W+1,d()-un,oi-2),U.lane==="compute")for(const X of J.idle){if(X.to<n||X.from>s)continue;O.fillStyle=Lt(im[X.cause]);const F=y(X.from);O.fillRect(F,W+4,Math.max(.5,y(X.to)-F),oi-8)}let j=-1;for(let X=Xa(U,n);X<U.start.length&&U.start[X]<s;++X){const F=y(U.start[X]),pe=y(U.end[X]);if(pe<j+.5)continue;const de=Q.op[U.id[X]];U.matched[X]>U.start[X]&&(O.fillStyle=Lt("--waiting"),O.fillRect(F,W+2,Math.max(.5,y(U.matched[X])-F),oi-4));const Ee=U.matched[X]>U.start[X]?y(U.matched[X]):F;O.fillStyle=td(de);const xe=Math.max(.6,pe-Ee);O.fillRect(Ee,W+2,xe,oi-4),j=pe,xe>46&&(O.fillStyle="#fff",O.textAlign="left",O.save(),O.beginPath(),O.rect(Math.max(Ee,un),W,pe-Math.max(Ee,un),oi),O.clip(),O.fillText(xe>180?Q.name[U.id[X]]:Q.ops[de],Math.max(Ee,un)+4,W+oi/2),O.restore())}if(a&&a.rank===B.rank&&a.lane===U){const X=y(U.start[a.index]);O.strokeStyle=Lt("--text"),O.lineWidth=2,O.strokeRect(X,W+1,Math.max(2,y(U.end[a.index])-X),oi-2)}}function E(O){if(!a)return;const B=X=>r.find(F=>F.rank===X.rank&&F.lane===X.lane).y+oi/2,U=(X,F,pe)=>{const de=y(X.lane.end[X.index]),Ee=y(F.lane.start[F.index]),xe=B(X),we=B(F);O.strokeStyle=Lt(pe),O.lineWidth=1.5,O.beginPath(),O.moveTo(de,xe),O.bezierCurveTo(de+24,xe,Ee-24,we,Ee,we),O.stroke(),O.beginPath(),O.arc(Ee,we,3,0,7),O.fillStyle=O.strokeStyle,O.fill()},W=a.lane.awaited[a.index],J=W>=0?Hl(t,a.rank,W):null;J&&U(J,a,"--edge-in"),Vf(t,a).slice(0,50).forEach(X=>U(a,X,"--edge-out"));const Q=Hf(t,a);for(const X of Q)O.strokeStyle=Lt("--edge-partner"),O.setLineDash([4,3]),O.beginPath(),O.moveTo(y(a.lane.matched[a.index]),B(a)),O.lineTo(y(X.lane.matched[X.index]),B(X)),O.stroke(),O.setLineDash([]);const j=Gf([a,...Q]);for(const X of j===a?Q:Q.length?[a]:[])X!==j&&sa(X)<sa(j)&&FE(O,j,X,j===a?"--edge-out":"--edge-in",y,B)}function v(O,B=!1){if(a=O,O&&B){const U=O.lane.start[O.index],W=O.lane.end[O.index];(U<n||W>s)&&I((U+W)/2-(s-n)/2,(U+W)/2+(s-n)/2)}T(),L()}function L(){if(!a){Xe(f,A("p.muted",{},"Select a task to see what it waited for and what waited for it."));return}const{lane:O,index:B,rank:U}=a,W=O.id[B],J=t.plans[t.ranks[U].plan],Q=O.end[B]-O.start[B],j=O.end[B]-O.matched[B],X=[["Op",J.ops[J.op[W]]],["Rank, lane",`${t.ranks[U].rank}, ${O.lane}`],["Took",jt(Q*1e-9)],["Waited before",jt((O.start[B]-O.head[B])*1e-9)]];O.group&&X.push(["Waited for partners",jt((O.matched[B]-O.start[B])*1e-9)],["Bytes moved for",jt(j*1e-9)],["Group",O.group[B]]),X.push(...IE(t,a));const F=Re=>A("button.link",{onclick:()=>v(Re,!0)},`${V(Re.rank,Re.lane.id[Re.index])}${Re.rank===U?"":` (rank ${t.ranks[Re.rank].rank})`}`),pe=O.awaited[B],de=pe>=0?Hl(t,U,pe):null;X.push(["Waited for",de?F(de):"nothing: its lane was next"]);const Ee=Vf(t,a);Ee.length&&X.push(["Waited for this",A("span",{},...Ee.slice(0,6).flatMap(Re=>[F(Re)," "]),Ee.length>6?`and ${Ee.length-6} more`:null)]);const xe=Hf(t,a),we=Gf([a,...xe]);xe.length&&we!==a&&j<Q&&X.push(["Waited across ranks for",F(we)]),xe.length&&we===a&&X.push(["The others waited for","this rank: it started last"]),O.group&&xe.length===0&&X.push(["Partners",A("button.link",{onclick:()=>void z(a)},"show their ranks")]),xe.length&&X.push(["Partners",A("span",{},...xe.slice(0,8).flatMap(Re=>[F(Re)," "]))]),Xe(f,A("h2",{},J.name[W]),A("dl.facts",{},...X.flatMap(([Re,Ge])=>[A("dt",{},Re),A("dd",{},Ge)]))),vr(`${J.name[W]}, ${jt(Q*1e-9)}`)}async function z(O){const B=t.ranks[O.rank].rank,U=O.lane.group[O.index],W=O.lane.id[O.index],Q=(await gn(`/api/runs/${e.run.id}/peers?rank=${B}`)).groups.find(we=>we.key===U)?.members??[],j=new Set(l.ranks.map(we=>we.rank)),X=Q.indexOf(B),F=Q.filter(we=>j.has(we)).sort((we,Re)=>Math.abs(Q.indexOf(we)-X)-Math.abs(Q.indexOf(Re)-X)).slice(0,OE);if(o||F.length<2)return vr("the partners have no records");const[pe,de]=[n,s],Ee=[...new Set([...t.ranks.map(we=>we.rank),...F])].sort((we,Re)=>we-Re);e.remember({ranks:Ee.join(","),step:String(t.step)}),c.querySelector("input").value=Ee.join(","),await G();const xe=t?t.ranks.findIndex(we=>we.rank===B):-1;xe<0||(v(Hl(t,xe,W)),I(pe,de))}function I(O,B){const U=Math.min(Math.max(B-O,NE),t.end);n=Math.min(Math.max(0,O),t.end-U),s=n+U,T()}function K(O,B=(n+s)/2){I(B-(B-n)*O,B+(s-B)*O)}function q(O){const B=u.getBoundingClientRect(),U=O.clientX-B.left,W=O.clientY-B.top,J=r.find(X=>X.lane&&W>=X.y&&W<X.y+oi);if(!J?.lane||U<un)return null;const Q=(s-n)/(d()-un)*2,j=Xa(J.lane,M(U)-Q);return j<J.lane.start.length&&J.lane.start[j]<=M(U)+Q?{rank:J.rank,lane:J.lane,index:j}:null}u.addEventListener("wheel",O=>{if(!t||O.shiftKey)return;O.preventDefault();const B=u.getBoundingClientRect();Math.abs(O.deltaX)>Math.abs(O.deltaY)?I(n+O.deltaX*(s-n)/d(),s+O.deltaX*(s-n)/d()):K(Math.exp(O.deltaY*.0016),M(O.clientX-B.left))},{passive:!1});let te=null;u.addEventListener("pointerdown",O=>{te={x:O.clientX,from:n,to:s,moved:!1},u.setPointerCapture(O.pointerId)}),u.addEventListener("pointermove",O=>{if(!t)return;if(!te){const U=q(O);u.title=U?`${V(U.rank,U.lane.id[U.index])}  ${jt((U.lane.end[U.index]-U.lane.start[U.index])*1e-9)}`:"";return}const B=(te.x-O.clientX)/(d()-un)*(te.to-te.from);Math.abs(te.x-O.clientX)>3&&(te.moved=!0),te.moved&&I(te.from+B,te.to+B)}),u.addEventListener("pointerup",O=>{te&&!te.moved&&t&&v(q(O)),te=null}),u.addEventListener("dblclick",O=>{const B=t?q(O):null;B&&I(B.lane.start[B.index],B.lane.end[B.index])});function ie(O){if(!t)return!1;const B=s-n;switch(O.key){case"a":return I(n-.2*B,s-.2*B),!0;case"d":return I(n+.2*B,s+.2*B),!0;case"w":return K(.7),!0;case"s":return K(1.4),!0;case"0":return I(0,t.end),!0;case"Escape":return v(null),!0;case"ArrowLeft":case"ArrowRight":{const U=O.key==="ArrowRight"?1:-1,W=a?.lane??t.ranks[0].lanes[0],J=a?a.index+U:Xa(W,n);return W.id[J]!==void 0&&v({rank:a?.rank??0,lane:W,index:J},!0),!0}case"ArrowUp":case"ArrowDown":{const U=r.filter(j=>j.lane),W=a?U.findIndex(j=>j.rank===a.rank&&j.lane===a.lane):-1,J=U[W+(O.key==="ArrowDown"?1:-1)];if(!J?.lane)return!0;const Q=a?a.lane.start[a.index]:n;return v({rank:J.rank,lane:J.lane,index:Math.min(Xa(J.lane,Q),J.lane.id.length-1)},!0),!0}default:return!1}}function ne(O,B){const{job:U}=e.run;if(!U)return[O.rank];let W;if(B==="expert")W=$M(O.rank,U);else{const Q={tensor:1,context:U.tensor,data:U.tensor*U.context,pipeline:U.tensor*U.context*U.data}[B];W=Array.from({length:U[B]},(j,X)=>O.rank+(X-O.at[B])*Q)}const J=new Set(l.ranks.map(Q=>Q.rank));return l.reading?W:W.filter(Q=>J.has(Q))}function fe(){const O=e.parameters.get("ranks")??String(l.ranks[0].rank),B=A("input",{value:O,size:16,spellcheck:"false",placeholder:"0-3,8"});B.addEventListener("change",()=>{e.remember({ranks:B.value}),G()});const U=Qn(l.steps.slice().reverse().slice(0,64).map(J=>({value:String(J),label:String(J)})),e.parameters.get("step")??"",J=>{e.remember({step:J}),G()}),W=Qn([{value:"",label:"choose …"},...["pipeline","data","tensor","context",...(e.run.job?.expert??1)>1?["expert"]:[]].map(J=>({value:J,label:`${J} group`}))],"",J=>{const Q=Number.parseInt(B.value,10),j=l.ranks.find(X=>X.rank===Q)??l.ranks[0];J&&(B.value=ne(j,J).join(","),e.remember({ranks:B.value}),G())});Xe(c,wn("Ranks",B),wn("Their group",W),wn("Step",U),A("button",{onclick:()=>t&&I(0,t.end),title:"Key 0"},"Whole step"),A("button",{onclick:()=>void G()},"Newest step"),A("span.muted",{title:"Writes a trace that ui.perfetto.dev opens"},"Perfetto: ",A("code",{},`megascale trace ${e.run.path}`))),c.querySelectorAll("button")[1].addEventListener("click",()=>e.remember({step:null}),{capture:!0})}async function G(){const O=e.parameters.get("ranks")??String(l.ranks[0].rank),B=e.parameters.get("step");try{const U=await gn(`/api/runs/${e.run.id}/timeline?ranks=${encodeURIComponent(O)}${B?`&step=${B}`:""}`);if(o)return;t=U,a=null,_.replaceChildren(),n=0,s=U.end,h.hidden=p.hidden=f.hidden=!1,Xe(p,A("span",{},`step ${U.step}, ${jt(U.end*1e-9)}`),...Object.keys(Xf).map(W=>A("span",{},A(`i.${W}`),Xf[W])),A("span",{},A("i.waiting"),"waits for a partner")),T(),L()}catch(U){if(o)return;h.hidden=p.hidden=f.hidden=!0,Xe(_,Zt("This step cannot be shown",U.message,U.status===404?"empty":"error"))}}async function ce(){try{l=await na(e.run,64,"")}catch(O){h.hidden=f.hidden=p.hidden=!0,Xe(_,Zt("No records of ranks",O.message,O.status===404?"empty":"error"));return}o||(fe(),await G())}return ce(),{leave(){o=!0,m.disconnect(),x()},key:ie}}const ra=[{name:"run",title:"Run",show:bE},{name:"ranks",title:"Heat map",show:dE},{name:"timeline",title:"Timeline",show:kE},{name:"grid",title:"3D",show:cS},{name:"plan",title:"Plan",show:SE},{name:"cluster",title:"Cluster",show:jp},{name:"routing",title:"Routing",show:UE}],uc=document.getElementById("bar"),Za=document.getElementById("page");let Pn=[],Ja=null;function co(){const[i="",e=""]=location.hash.replace(/^#\/?/,"").split("?"),[t="0",n="run"]=i.split("/");return{run:Math.max(0,Pn.findIndex(s=>String(s.id)===t)),page:ra.some(s=>s.name===n)?n:"run",parameters:new URLSearchParams(e)}}function Ts(i,e,t){const n=t?.toString();return`#/${i}/${e}${n?`?${n}`:""}`}function yp(i,e){const t=i.kind==="trained"&&(i.age_seconds??1/0)<60,n=i.kind==="simulated"?"simulated":i.kind==="measured"?"no metrics":t?"live":i.kind==="empty"?"empty":"not writing";Xe(uc,A("a.brand",{href:Ts(i.id,"run")},"megascale"),Pn.length>1?A("label.field.inline",{},A("span.unseen",{},"Run"),Qn(Pn.map(s=>({value:String(s.id),label:s.name})),String(i.id),s=>{location.hash=Ts(Number(s),e)})):A("span.run",{title:i.path},i.name),A(`span.state.${n.replace(" ","-")}`,{},n),A("nav",{"aria-label":"Pages"},...ra.map((s,r)=>A("a",{href:Ts(i.id,s.name),"aria-current":s.name===e?"page":void 0,title:`Key ${r+1}`},s.title))),A("button.plain",{onclick:Zf,title:"Light or dark (key t)","aria-label":"Light or dark"},"◐"),A("button.plain",{onclick:Ep,title:"Keys (key ?)","aria-label":"Keys"},"?"))}function Yf(){const{run:i,page:e,parameters:t}=co(),n=Pn[i];if(Ja?.leave(),Ja=null,!n)return;yp(n,e);const s=ra.find(a=>a.name===e);document.title=`${n.name} · ${s.title} · megascale`;const r={runs:Pn,run:n,parameters:t,remember(a){for(const[o,l]of Object.entries(a))l===null?t.delete(o):t.set(o,l);history.replaceState(null,"",Ts(n.id,e,t))},go(a,o={}){location.hash=Ts(n.id,a,new URLSearchParams(o))}};Xe(Za,A("h1.unseen",{},`${s.title} of ${n.name}`)),Za.className=`page-${e}`,Ja=s.show(Za,r),vr(`${s.title} of ${n.name}`)}function Ep(){const i=[["1 to 7","pages"],["arrows","routing: go from cell to cell"],["t","light or dark"],["[ and ]","previous and next run"],["arrows, Enter","heat map: choose a rank, open it"],["arrows, Page Up, Page Down","3D: choose a rank"],["w s","3D: zoom"],["a d, w s","timeline: move, zoom"],["0","timeline: the whole step; 3D: the whole grid"],["Esc","close"]],e=A("dialog",{"aria-label":"Keys"},A("h2",{},"Keys"),A("dl.keys",{},...i.flatMap(([t,n])=>[A("dt",{},t),A("dd",{},n)])),A("button",{onclick:()=>e.close()},"Close"));e.addEventListener("close",()=>e.remove()),document.body.append(e),e.showModal()}function BE(i){const e=i.target;if(i.ctrlKey||i.metaKey||i.altKey||document.querySelector("dialog[open]")||/^(INPUT|SELECT|TEXTAREA)$/.test(e.tagName))return;if(Ja?.key?.(i))return i.preventDefault();const{run:t,parameters:n}=co(),s=Pn[t],r=Number(i.key);if(s&&r>=1&&r<=ra.length)location.hash=Ts(s.id,ra[r-1].name);else if(i.key==="t")Zf();else if(i.key==="?")Ep();else if((i.key==="["||i.key==="]")&&Pn.length>1){const a=(t+(i.key==="]"?1:Pn.length-1))%Pn.length;location.hash=Ts(Pn[a].id,co().page,n)}}async function zE(){Wp();try{Pn=(await gn("/api/runs")).runs}catch(i){const e=i;Xe(Za,Zt(e.status===401?"No access":"No connection",e.message,"error"));return}addEventListener("hashchange",Yf),addEventListener("keydown",BE),Yf(),setInterval(async()=>{try{const i=(await gn("/api/runs")).runs;for(const n of i)Object.assign(Pn.find(s=>s.id===n.id)??{},n);const{run:e,page:t}=co();Pn[e]&&!uc.contains(document.activeElement)&&yp(Pn[e],t)}catch{const i=uc.querySelector(".state");i&&(i.className="state lost",i.textContent="server gone")}},5e3)}zE();
